import { expect, test } from 'vitest'
import { ConformanceReport } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import {
  checkDeliveries,
  type Delivered,
  WebhookReceiver,
} from '../../../../../src/cli/features/doctor/conformance/webhook-deliveries.ts'
import { senderSignature, signHeaders } from '../../../../../src/node/webhook-signature.ts'
import { today } from '../../../../support/operator.ts'

// biome-ignore lint/suspicious/noExplicitAny: the payload of a platform, to be spoilt
type Payload = any

const secret = `whsec_${Buffer.from('x'.repeat(32)).toString('base64')}`
const uuid = '11111111-1111-4111-8111-111111111111'
const assistant = '22222222-2222-4222-8222-222222222222'

const ended = (): Payload => ({
  id: 4,
  conversation_id: uuid,
  assistant_id: assistant,
  type: 'widget',
  customer_phone: null,
  customer_name: null,
  input_variables: {},
  sender: null,
  created_at: '2026-08-04T11:58:00.000Z',
  message_count: 1,
  status: 'ended',
  extracted_variables: {},
  transcript: [
    { role: 'assistant', content: 'Hello.', timestamp: '2026-08-04T11:58:00.000Z', timestamp_unix: 1785844680 },
  ],
  formatted_transcript: 'AI: Hello.',
  attachments: [],
  ended_at: '2026-08-04T12:00:00.000Z',
})
const called = (): Payload => ({
  id: 9,
  customer_phone: '+14155550142',
  assistant_phone: null,
  duration: 0,
  status: 'no-answer',
  extracted_variables: {},
  input_variables: {},
  transcript: [],
  formatted_transcript: '',
  recording_url: null,
  created_at: '2026-08-04T11:59:00.000Z',
  finished_at: '2026-08-04T12:00:00.000Z',
})

const statusSecret = 'status-secret-1'
const messageStatus = (): Payload => ({
  event: 'message_status',
  channel_message_id: 3,
  message_sid: 'SM1',
  meta_message_id: 'wamid.1',
  conversation_id: null,
  assistant_id: null,
  sender: { id: 1, phone_number: '+14155550170', display_name: 'Northwind' },
  to: '+14155550142',
  from: '+14155550170',
  direction: 'outbound',
  status: 'sent',
  error_code: null,
  error_message: null,
  error_description: null,
  timestamp: '2026-08-04T12:00:00.000Z',
  provider_timestamp: '2026-08-04T12:00:00.000Z',
})

type Path = 'ended' | 'called' | 'silent' | 'status'
interface Changes {
  readonly payload?: (payload: Payload) => void
  /** Changes a request after it was signed. */
  readonly request?: (request: { method: string; headers: Record<string, string>; body: string }) => void
  /** Number of deliveries. */
  readonly times?: number
  /** Seconds between the first attempt, which is answered with 500, and the second; none if undefined. */
  readonly retryAfter?: number | undefined
  /** Changes the second attempt. */
  readonly retry?: (request: { headers: Record<string, string> }) => void
  /** Seconds to the next attempt that a Parley server has planned. */
  readonly planned?: number
  readonly key?: string | undefined
  readonly isParley?: boolean
}

/** Compares the deliveries of a platform that differs, and returns the rows as "endpoint case: status path". */
async function rowsOf(changes: Partial<Record<Path, Changes>> = {}, own: Changes = {}): Promise<readonly string[]> {
  const all: Record<Path, readonly Delivered[]> = { ended: [], called: [], silent: [], status: [] }
  const bodies: Readonly<Record<Path, Payload>> = {
    ended: ended(),
    silent: ended(),
    called: called(),
    status: messageStatus(),
  }
  for (const path of ['ended', 'called', 'silent', 'status'] as const) {
    const change = changes[path] ?? {}
    const { payload, request, times = path === 'silent' ? 0 : 1 } = change
    const body = bodies[path]
    payload?.(body)
    const text = JSON.stringify(body)
    const delivery = {
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signHeaders([secret], `msg_${path}`, today / 1000, text),
        ...(path === 'status' && { 'x-signature-256': senderSignature(statusSecret, text) }),
      },
      body: text,
    }
    request?.(delivery)
    const first = { ...delivery, status: path === 'ended' || path === 'status' ? 500 : 200, at: today }
    const seconds = 'retryAfter' in change ? change.retryAfter : first.status === 500 ? 30 : undefined
    const second = { ...delivery, headers: { ...delivery.headers }, status: 200, at: today + (seconds ?? 0) * 1000 }
    change.retry?.(second)
    all[path] =
      times === 0
        ? []
        : [
            first,
            ...(seconds === undefined ? [] : [second]),
            ...Array.from({ length: times - 1 }, () => ({ ...delivery, status: 200, at: today })),
          ]
  }
  const report = new ConformanceReport()
  const values: Record<string, unknown> = {
    notifiedConversation: uuid,
    silencedConversation: uuid,
    notifiedUuid: assistant,
    call: 9,
    statusSecret,
  }
  const checker = {
    session: {
      report,
      isParley: own.isParley ?? true,
      readPayload: (it: unknown) => it,
      send: async () => ({ status: 200, output: { status: 'no-answer', duration: 0 }, headers: {} }),
    },
    stored: (name: string) => values[name],
    hasAccepted: () => true,
  }
  await checkDeliveries(checker as never, {
    receiver: { receivedAt: (name: Path) => all[name], urlOf: (name: Path) => name } as never,
    reason: '',
    secret: 'key' in own ? own.key : secret,
    refusal: async () => undefined,
    now: () => today,
    wait: async () => {},
    ...('planned' in own && { retryPlanned: async () => own.planned }),
  })
  return report.rows().flatMap((row) => {
    const name = `${row.endpoint.replace(/^assistants\./, '')} ${row.case}: ${row.status}`
    return row.differences.length === 0 ? [name] : row.differences.map(({ path }) => `${name} ${path}`)
  })
}

test('a documented delivery is the same, with its signature', async () => {
  expect(await rowsOf()).toEqual([
    'enableConversationEndedWebhook deliveries: same',
    'enableConversationEndedWebhook signature: same',
    'disableConversationEndedWebhook deliveries: same',
    'enablePostCallWebhook deliveries: same',
    'enablePostCallWebhook signature: same',
    'messaging.send deliveries: same',
    'messaging.send signature: same',
  ])
})

test('the planned attempt of a Parley server is compared, without waiting for it', async () => {
  const planned = (seconds: number | undefined) =>
    rowsOf({ ended: { retryAfter: undefined }, status: { retryAfter: undefined } }, { planned: seconds as number })
  expect((await planned(30)).filter((it) => it.includes('drift'))).toEqual([])
  for (const seconds of [undefined, 5, 600])
    expect((await planned(seconds)).filter((it) => it.includes('drift'))).toEqual([
      'enableConversationEndedWebhook deliveries: drift .',
      'messaging.send deliveries: drift .',
    ])
})

const drifts: readonly (readonly [string, Path, Changes, string])[] = [
  ['a call without a delivery', 'called', { times: 0 }, 'enablePostCallWebhook deliveries: drift .'],
  ['a conversation without a delivery', 'ended', { times: 0 }, 'enableConversationEndedWebhook deliveries: drift .'],
  ['no attempt after status 500', 'ended', { retryAfter: undefined }, 'ConversationEndedWebhook deliveries: drift .'],
  ['an attempt too soon after status 500', 'ended', { retryAfter: 2 }, 'ConversationEndedWebhook deliveries: drift .'],
  ['an attempt too late after status 500', 'ended', { retryAfter: 90 }, 'ConversationEndedWebhook deliveries: drift .'],
  ['an attempt after status 200', 'ended', { times: 2 }, 'enableConversationEndedWebhook deliveries: drift .'],
  [
    'an attempt with an id of its own',
    'ended',
    {
      retry: (delivery) =>
        Object.assign(delivery.headers, signHeaders([secret], 'msg_other', today / 1000, JSON.stringify(ended()))),
    },
    'deliveries: drift webhook-id',
  ],
  ['no attempt for a status', 'status', { retryAfter: undefined }, 'messaging.send deliveries: drift .'],
  ['no status callback', 'status', { times: 0 }, 'messaging.send deliveries: drift .'],
  ['a status of another message', 'status', { payload: (it) => void (it.to = '+14155550199') }, 'drift body.to'],
  ['a status that is not known', 'status', { payload: (it) => void (it.status = 'gone') }, 'drift body.status'],
  [
    "a sender's signature with another secret",
    'status',
    { request: (it) => void (it.headers['x-signature-256'] = senderSignature('other', it.body)) },
    'messaging.send signature: drift x-signature-256',
  ],
  [
    'no signature of the sender',
    'status',
    { request: (it) => void delete it.headers['x-signature-256'] },
    'messaging.send signature: drift x-signature-256',
  ],
  ['an accepted delivery that is sent again', 'called', { times: 2 }, 'enablePostCallWebhook deliveries: drift .'],
  ['a delivery after it was disabled', 'silent', { times: 1 }, 'disableConversationEndedWebhook deliveries: drift .'],
  ['another method', 'ended', { request: (it) => void (it.method = 'PUT') }, 'deliveries: drift method'],
  [
    'another content type',
    'ended',
    { request: (it) => void (it.headers['content-type'] = 'text/plain') },
    'deliveries: drift content-type',
  ],
  ['no JSON', 'ended', { request: (it) => void (it.body = 'conversation=1') }, 'deliveries: drift body'],
  ['a missing field', 'ended', { payload: (it) => void delete it.transcript }, 'drift body.transcript'],
  ['a field of another type', 'called', { payload: (it) => void (it.duration = 'short') }, 'drift body.duration'],
  ['another conversation', 'ended', { payload: (it) => void (it.conversation_id = assistant) }, 'body.conversation_id'],
  ['the number of the assistant', 'ended', { payload: (it) => void (it.assistant_id = '7') }, 'body.assistant_id'],
  ['another channel', 'ended', { payload: (it) => void (it.type = 'messaging') }, 'drift body.type'],
  ['another status', 'ended', { payload: (it) => void (it.status = 'closed') }, 'drift body.status'],
  ['one message too many', 'ended', { payload: (it) => void it.message_count++ }, 'drift body.message_count'],
  [
    'milliseconds for seconds',
    'ended',
    { payload: (it) => void (it.transcript[0].timestamp_unix *= 1000) },
    'drift body.transcript.*.timestamp_unix',
  ],
  [
    'a formatted transcript without the lines',
    'ended',
    { payload: (it) => void (it.formatted_transcript = '') },
    'drift body.formatted_transcript',
  ],
  ['a list as text', 'called', { payload: (it) => void (it.transcript = 'AI: Hello') }, 'drift body.transcript'],
  ['times without milliseconds', 'called', { payload: (it) => void (it.created_at = '2026-08-04') }, 'body.created_at'],
  [
    'an end before the start',
    'called',
    { payload: (it) => void (it.finished_at = '2026-08-04T11:00:00.000Z') },
    'drift body.finished_at',
  ],
  ['another call', 'called', { payload: (it) => void it.id++ }, 'drift body.id'],
  [
    'a number with spaces',
    'called',
    { payload: (it) => void (it.customer_phone = '+1 415 5550142') },
    'customer_phone',
  ],
  ['another status of the call', 'called', { payload: (it) => void (it.status = 'busy') }, 'drift body.status'],
  ['a payload that was changed', 'ended', { request: (it) => void (it.body += ' ') }, 'drift webhook-signature'],
  [
    'a signature with another secret',
    'called',
    {
      request: (delivery) => {
        const other = `whsec_${Buffer.from('y'.repeat(32)).toString('base64')}`
        Object.assign(delivery.headers, signHeaders([other], 'msg_called', today / 1000, delivery.body))
      },
    },
    'enablePostCallWebhook signature: drift webhook-signature',
  ],
  [
    'a hexadecimal signature',
    'ended',
    { request: (it) => void (it.headers['webhook-signature'] = `sha256=${'ab'.repeat(32)}`) },
    'drift webhook-signature',
  ],
  ['no id', 'ended', { request: (it) => void delete it.headers['webhook-id'] }, 'drift webhook-id'],
  [
    'a time in milliseconds',
    'ended',
    { request: (it) => void (it.headers['webhook-timestamp'] = String(today)) },
    'drift webhook-timestamp',
  ],
]

test.each(drifts)('is reported: %s', async (_, path, changes, expected) => {
  const rows = await rowsOf({ [path]: changes })
  expect(rows.filter((it) => it.includes('drift')).join('\n')).toContain(expected)
})

test('a platform without a signature is not checked for one, unless its secret is known', async () => {
  const unsigned: Changes = { request: (it) => void (it.headers = { 'content-type': 'application/json' }) }
  const changes = { ended: unsigned, called: unsigned }
  expect(
    (await rowsOf(changes, { isParley: false, key: undefined })).filter((it) => it.includes('Webhook signature')),
  ).toEqual(['enableConversationEndedWebhook signature: not_checked', 'enablePostCallWebhook signature: not_checked'])
  expect((await rowsOf(changes, { isParley: false })).join()).toContain('signature: drift webhook-signature')
})

test('the receiver answers the first attempt at a path with 500 when it is asked to, and the others with 200', async () => {
  const receiver = await WebhookReceiver.start({ now: () => today })
  try {
    receiver.refuseFirst('ended')
    const statuses: number[] = []
    for (const path of ['ended', 'called', 'ended', 'ended'])
      statuses.push((await fetch(receiver.urlOf(path), { method: 'POST', body: '{}' })).status)
    expect(statuses).toEqual([500, 200, 200, 200])
    expect(receiver.receivedAt('ended').map(({ status, at }) => [status, at])).toEqual([
      [500, today],
      [200, today],
      [200, today],
    ])
  } finally {
    await receiver.close()
  }
})

test('the receiver records what is sent to its own paths, and nothing else', async () => {
  const receiver = await WebhookReceiver.start()
  try {
    const url = receiver.urlOf('ended')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{36}\/ended$/)
    await fetch(url, { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } })
    await fetch(`${new URL(url).origin}/ended`, { method: 'POST', body: '{}' })
    expect(receiver.receivedAt('ended').map(({ method, body }) => [method, body])).toEqual([['POST', '{"a":1}']])
  } finally {
    await receiver.close()
  }
})

test('a public URL that forwards to the receiver replaces its own address', async () => {
  const receiver = await WebhookReceiver.start({ url: 'https://hooks.example.com/parley/' })
  expect(receiver.urlOf('called')).toMatch(/^https:\/\/hooks\.example\.com\/parley\/[\w-]{36}\/called$/)
  await receiver.close()
})
