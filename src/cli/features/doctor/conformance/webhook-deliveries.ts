// The receiver of the conformance check, and the comparison of what it receives with the documented events.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { property } from '../../../../client/response-body.ts'
import { compareWithContract, type Difference } from '../../../../contract/endpoint/response-differences.ts'
import { webhookEvents } from '../../../../contract/openapi/webhook-events.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { parseJson } from '../../../../node/json.ts'
import { realTime } from '../../../../node/real-time.ts'
import { isValidSignature, senderSignature } from '../../../../node/webhook-signature.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { type ConformanceChecker, endpointOf } from './conformance-checker.ts'
import { drift } from './conformance-report.ts'
import { type Fields, isSuccess } from './conformance-session.ts'

/** What the checks of webhooks need: a receiver, and what the platform says about its deliveries. */
export interface DeliveryCheck {
  /** Undefined if the platform cannot reach a receiver of this machine; `reason` says why. */
  readonly receiver: WebhookReceiver | undefined
  readonly reason: string
  /** Signing secret of the account, if it is known. */
  readonly secret: string | undefined
  /** Returns why the platform does not deliver to the receiver, if it says so. */
  readonly refusal: () => Promise<string | undefined>
  /** Returns the seconds until the attempt that a Parley server has planned for a URL that answered with 500. */
  readonly retryPlanned?: (url: string) => Promise<number | undefined>
  /** Returns the wall time in milliseconds. */
  readonly now: () => number
  /** Waits, and lets a platform in this process run its due jobs. */
  readonly wait: (ms: number) => Promise<void>
}

/** An event that the check has caused, and how its delivery is compared. */
interface CausedEvent {
  readonly endpoint: string
  /** Path of the receiver. */
  readonly path: string
  readonly event: 'conversation_ended' | 'post_call' | 'message_status'
  /** Whether it has happened. */
  readonly isCaused: boolean
  /** Why it has not. */
  readonly reason: string
  /** Returns whether what is reported has ended on the platform. */
  readonly isOver: () => Promise<boolean>
  /** Returns fields that contradict what the check has done, or each other. */
  readonly compare: (payload: Fields) => Promise<Difference[]>
}

/**
 * Seconds within which an event is delivered. A conversation ends a minute after its last message. The notes of `doctor` name
 * them.
 */
const maxWaitSeconds = 95
const pollMs = 250
/** Time in which a second delivery of the same event would arrive. */
const settleMs = 1500
/** Seconds from a refused attempt to the next one: 30, and what a platform may need beside it. */
const retrySeconds = { min: 25, max: 45 }
const retryPollMs = 5000

/** Paths of the receiver whose first request is answered with 500. The documentation states retries for their events. */
export const retriedPaths = ['ended', 'status'] as const

/**
 * Checks the delivery, the next attempt after status 500, and the signature of the webhooks whose events the check has
 * caused, of all events or of those with some paths.
 */
export async function checkDeliveries(
  checker: ConformanceChecker,
  check: DeliveryCheck,
  paths?: readonly string[],
): Promise<void> {
  const { receiver, reason } = check
  const { report } = checker.session
  const events = causedEvents(checker).filter((it) => paths === undefined || paths.includes(it.path))
  if (!receiver) {
    for (const { endpoint } of events) report.skip(endpoint, reason, 'deliveries')
    return
  }
  const caused = events.filter((it) => it.isCaused)
  const isMissing = (it: CausedEvent): boolean => receiver.receivedAt(it.path).length === 0
  let refusal: string | undefined
  for (let ms = 0; ms < maxWaitSeconds * 1000 && caused.some(isMissing) && refusal === undefined; ms += pollMs) {
    await check.wait(pollMs)
    if (ms % 2000 === 0 && caused.some(isMissing)) refusal = await check.refusal()
  }
  const isRefused = ({ path }: CausedEvent): boolean => receiver.receivedAt(path).at(-1)?.status === 500
  const planned = new Map<string, number | undefined>()
  if (check.retryPlanned)
    for (const { path } of caused.filter(isRefused)) planned.set(path, await check.retryPlanned(receiver.urlOf(path)))
  else
    for (let ms = 0; ms < retrySeconds.max * 1000 && caused.some(isRefused); ms += retryPollMs)
      await check.wait(retryPollMs)
  if (caused.length > 0) await check.wait(settleMs)
  for (const event of events) {
    const deliveries = receiver.receivedAt(event.path)
    if (!event.isCaused) report.skip(event.endpoint, event.reason, 'deliveries')
    else if (deliveries.length === 0 && refusal !== undefined) report.skip(event.endpoint, refusal, 'deliveries')
    else if (deliveries.length === 0 && !(await event.isOver()))
      report.skip(event.endpoint, `The call did not end within ${maxWaitSeconds} s.`, 'deliveries')
    else if (deliveries.length === 0)
      report.add(event.endpoint, 'deliveries', [drift('.', `a delivery within ${maxWaitSeconds} s`, 'none')])
    else {
      report.add(event.endpoint, 'deliveries', [
        ...attemptDifferences(deliveries, planned.get(event.path)),
        ...(await deliveryDifferences(checker, event, deliveries[0] as Delivered)),
      ])
      checkSignature(checker, event, deliveries, check)
    }
  }
  const isDelivered = receiver.receivedAt('ended').length > 0
  if (isDelivered && checker.stored('silencedConversation') !== undefined)
    report.add('assistants.disableConversationEndedWebhook', 'deliveries', [
      ...(receiver.receivedAt('silent').length > 0 ? [drift('.', 'no delivery after it was disabled', 'one')] : []),
    ])
}

/** Compares the attempts of a delivery: one is accepted, 30 s after one that was refused, and none follows. */
function attemptDifferences(deliveries: readonly Delivered[], planned: number | undefined): Difference[] {
  const accepted = deliveries.filter((it) => it.status === 200)
  const found: Difference[] = []
  if (accepted.length > 1) found.push(drift('.', 'one delivery, because it was accepted', `${accepted.length}`))
  const [refused] = deliveries.filter((it) => it.status !== 200)
  if (!refused) return found
  const [next] = accepted
  const seconds = next ? (next.at - refused.at) / 1000 : planned
  if (seconds === undefined || seconds < retrySeconds.min || seconds > retrySeconds.max)
    found.push(
      drift(
        '.',
        'another attempt 30 s after status 500',
        seconds === undefined ? 'none' : `after ${Math.round(seconds)} s`,
      ),
    )
  const [firstId, nextId] = [refused, next].map((it) => it?.headers['webhook-id'])
  if (next && firstId !== nextId) found.push(drift('webhook-id', 'the id of the first attempt', 'another id'))
  return found
}

/** Returns the events that the steps cause. */
function causedEvents(checker: ConformanceChecker): readonly CausedEvent[] {
  const { session } = checker
  const conversation = checker.stored('notifiedConversation')
  const call = checker.stored('call')
  const readCall = async (): Promise<Fields> => {
    const read = await session.send(endpointOf('calls.get'), { id: call })
    return isSuccess(read) && isObject(read.output) ? read.output : {}
  }
  return [
    {
      endpoint: 'assistants.enableConversationEndedWebhook',
      path: 'ended',
      event: 'conversation_ended',
      isCaused: conversation !== undefined && checker.hasAccepted('assistants.enableConversationEndedWebhook'),
      reason: 'No conversation could be created.',
      isOver: async () => true,
      compare: async (payload) => [
        ...differing(payload, 'conversation_id', conversation),
        ...differing(payload, 'assistant_id', checker.stored('notifiedUuid')),
        ...differing(payload, 'type', 'widget'),
        ...differing(payload, 'customer_phone', null),
        ...differing(payload, 'sender', null),
        ...transcriptDifferences(payload, 'content', 'ended_at'),
      ],
    },
    {
      endpoint: 'assistants.enablePostCallWebhook',
      path: 'called',
      event: 'post_call',
      isCaused: call !== undefined && checker.hasAccepted('assistants.enablePostCallWebhook'),
      reason:
        'It is sent only after a call, and calls cost money. Pass --budget <usd>, which must cover the maximum price of a call.',
      isOver: async () => !/^(initiated|ringing|in-progress)$/.test(String((await readCall()).status)),
      compare: async (payload) => {
        const shown = await readCall()
        return [
          ...differing(payload, 'id', call),
          ...differing(payload, 'customer_phone', '+14155550142'),
          ...['status', 'duration'].flatMap((it) => differing(payload, it, property(shown, it))),
          ...transcriptDifferences(payload, 'text', 'finished_at'),
        ]
      },
    },
    {
      endpoint: 'messaging.send',
      path: 'status',
      event: 'message_status',
      isCaused: checker.stored('statusSecret') !== undefined && checker.hasAccepted('messaging.send'),
      reason: 'The webhook of a sender is set in the app of the platform, and by no endpoint of its API.',
      isOver: async () => true,
      compare: async (payload) => differing(payload, 'to', '+14155550142'),
    },
  ]
}

/** Compares a field with its known value. Other types are differences of the payload itself. */
const differing = (payload: Fields, name: string, expected: unknown): Difference[] =>
  expected === undefined || payload[name] === undefined || payload[name] === expected
    ? []
    : [drift(`body.${name}`, expected === null ? 'null' : 'the value of the event', 'another value')]

/** Compares the transcript with its formatted text and with the times of the event. */
function transcriptDifferences(payload: Fields, textField: string, endField: string): Difference[] {
  const found: Difference[] = []
  const { transcript, formatted_transcript: formatted, created_at: start, message_count: count } = payload
  const [startedAt, endedAt] = [Date.parse(String(start)), Date.parse(String(payload[endField]))]
  if (endedAt < startedAt) found.push(drift(`body.${endField}`, 'a time not before created_at', 'an earlier time'))
  if (!Array.isArray(transcript)) return found
  const lines = transcript.filter(isObject)
  if (typeof formatted === 'string' && lines.some((it) => !formatted.includes(String(it[textField]))))
    found.push(drift('body.formatted_transcript', 'every line of the transcript', 'fewer lines'))
  if (typeof count === 'number' && count !== lines.length)
    found.push(drift('body.message_count', 'the number of messages in the transcript', 'another number'))
  for (const { timestamp, timestamp_unix: seconds } of lines)
    if (
      typeof timestamp === 'string' &&
      typeof seconds === 'number' &&
      Math.floor(Date.parse(timestamp) / 1000) !== seconds
    )
      found.push(drift('body.transcript.*.timestamp_unix', 'the seconds of timestamp', 'another time'))
  return found
}

/** Compares a request of a platform with the documented event. */
async function deliveryDifferences(
  checker: ConformanceChecker,
  { endpoint, event, compare }: CausedEvent,
  { method, headers, body }: Delivered,
): Promise<Difference[]> {
  const found: Difference[] = []
  if (method !== 'POST') found.push(drift('method', 'POST', method))
  const type = headers['content-type']
  if (!/^application\/json\b/i.test(type ?? ''))
    found.push(drift('content-type', 'application/json', type ?? 'nothing'))
  let payload: unknown
  try {
    payload = checker.session.readPayload(parseJson(body))
  } catch {
    return [...found, drift('body', 'JSON', 'no JSON')]
  }
  const documented = { ...endpointOf(endpoint), output: webhookEvents[event]?.payload } as never
  found.push(...compareWithContract(documented, payload).map((it) => ({ ...it, path: `body.${it.path}` })))
  if (isObject(payload)) found.push(...(await compare(payload)))
  return found
}

/** Checks the Standard Webhooks headers of deliveries, and with a known secret their signatures. */
function checkSignature(
  checker: ConformanceChecker,
  { endpoint, path }: CausedEvent,
  deliveries: readonly Delivered[],
  { secret, now }: DeliveryCheck,
): void {
  const { session } = checker
  const { report } = session
  const headers = deliveries[0]?.headers ?? {}
  if (secret === undefined && !session.isParley && headers['webhook-signature'] === undefined)
    return report.skip(
      endpoint,
      'The delivery has no header webhook-signature, and the documentation does not require one.',
      'signature',
    )
  const found: Difference[] = []
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    if (!headers[name]) found.push(drift(name, 'a value', 'nothing'))
  if (Math.abs(now() / 1000 - Number(headers['webhook-timestamp'])) > 300)
    found.push(drift('webhook-timestamp', 'the current time in seconds', 'another time'))
  const accepted = deliveries.filter((it) => it.status === 200)
  if (new Set(accepted.map((it) => it.headers['webhook-id'])).size < accepted.length)
    found.push(drift('webhook-id', 'one delivery for each id', 'several'))
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  if (!signatures.some((it) => /^v1,[A-Za-z0-9+/]{43}=$/.test(it)))
    found.push(drift('webhook-signature', 'v1 and 32 bytes in base64', 'another value'))
  else if (secret !== undefined && found.length === 0 && !deliveries.every((it) => isValidSignature(secret, it, now())))
    found.push(drift('webhook-signature', 'the signature of id, timestamp and body', 'another signature'))
  const own = path === 'status' ? String(checker.stored('statusSecret')) : undefined
  if (own !== undefined && deliveries.some((it) => it.headers['x-signature-256'] !== senderSignature(own, it.body)))
    found.push(
      drift(
        'x-signature-256',
        'sha256= and the HMAC-SHA256 of the body with the secret of the sender',
        'another value',
      ),
    )
  if (secret === undefined && found.length === 0)
    report.skip(endpoint, 'Its form is valid. To check its value, set PARLEY_WEBHOOK_SECRET.', 'signature')
  else report.add(endpoint, 'signature', found)
}

/** A request that the receiver got. */
export interface Delivered {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Status with which the receiver answered. */
  readonly status: number
  /** Time of the request in milliseconds. */
  readonly at: number
}

/** Where a receiver listens, and how the platform reaches it. */
export interface ReceiverOptions {
  /** Public URL that forwards to the receiver (default: its address on loopback). */
  readonly url?: string | undefined
  /** Port on loopback (default: any that is free). */
  readonly port?: number | undefined
  /** Returns the time in milliseconds (default: that of the machine). */
  readonly now?: () => number
}

/** Maximum size of a payload that is read, in bytes. */
const maxPayloadBytes = 4 * 1024 * 1024

/** Receives webhooks on loopback, at paths that cannot be guessed, and answers with 200, or the first time with 500. */
export class WebhookReceiver {
  readonly #received: Delivered[] = []
  readonly #secret = randomUUID()
  readonly #server = createServer((request, response) => {
    this.#receive(request).then(
      (status) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'),
      () => response.destroy(),
    )
  })
  #base = ''
  #now: () => number = realTime.now
  readonly #refusing = new Set<string>()

  /** Starts a receiver. @throws ClientFailure `usage` if the port is in use */
  static async start({ url, port = 0, now = realTime.now }: ReceiverOptions = {}): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    receiver.#now = now
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once('error', reject).listen(port, '127.0.0.1', resolve)
    }).catch((error: Error) => {
      throw usageError(
        `The receiver of webhooks cannot listen on port ${port}: ${error.message}.`,
        'Pass another --receiver-port.',
      )
    })
    receiver.#base = (url ?? `http://127.0.0.1:${receiver.port}`).replace(/\/+$/, '')
    return receiver
  }

  /** Port on loopback. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Returns the URL at which the platform reaches a path. */
  urlOf(name: string): string {
    return `${this.#base}/${this.#secret}/${name}`
  }

  /** Answers the first request to a path with 500, so that the platform sends it again. */
  refuseFirst(name: string): void {
    this.#refusing.add(`/${this.#secret}/${name}`)
  }

  /** Returns the requests to a path, the oldest first. */
  receivedAt(name: string): readonly Delivered[] {
    return this.#received.filter((it) => it.path.endsWith(`/${this.#secret}/${name}`))
  }

  /** Records a request, and returns the status of the answer. */
  async #receive(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length
      if (bytes > maxPayloadBytes) throw new Error('too large')
      chunks.push(chunk as Buffer)
    }
    const { method = '', url: path = '' } = request
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const),
    )
    const refused = [...this.#refusing].find((it) => path.endsWith(it))
    if (refused !== undefined) this.#refusing.delete(refused)
    const status = refused === undefined ? 200 : 500
    this.#received.push({
      path,
      method,
      headers,
      body: Buffer.concat(chunks).toString('utf8'),
      status,
      at: this.#now(),
    })
    return status
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((done) => void this.#server.close(() => done()))
  }
}
