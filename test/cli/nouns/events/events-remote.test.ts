import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { type Operator, operator, type Run, type RunOptions, today } from '../../../support/operator.ts'
import { verify } from '../../../support/platform/webhook-receiver.ts'

const deployment = 'https://assistants.example'
const target = 'http://127.0.0.1:3000/hooks'

type Fields = Record<string, unknown>

interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const minute = (n: number): string => new Date(today + n * 60_000).toISOString().replace('Z', '000Z')
const call = (id: number, status: string, at: number): Fields => ({
  id,
  status,
  client_phone_number: '+14155550142',
  assistant_phone_number: '+14155550100',
  duration: 60,
  transcript: 'AI: Hello.',
  variables: { goal: 'met' },
  recording_url: null,
  created_at: minute(at - 2),
  updated_at: minute(at),
})
const conversation = (id: string, at: number, more: Fields = {}): Fields => ({
  id,
  assistant_id: 'a-1',
  type: 'widget',
  message_count: 2,
  created_at: minute(at).slice(0, 19).replace('T', ' '),
  updated_at: minute(at).slice(0, 19).replace('T', ' '),
  ...more,
})

/** A desk with a deployment that only has lists, and a receiver of webhooks. */
function desk(capabilities?: string, date?: string) {
  const by: Operator = operator()
  const lists = { calls: [] as Fields[], conversations: [] as Fields[], runs: [] as Fields[] }
  let shown = structuredClone(lists)
  const deliveries: Delivery[] = []
  const pending: (() => unknown)[] = []
  let unreachable = 0
  let outage = 0
  const connect: RunOptions['connect'] = async (base) => ({
    base,
    async send({ method, url, headers, body }) {
      const json = (value: unknown) => ({
        status: 200,
        headers: {
          'content-type': 'application/json',
          ...(capabilities !== undefined && { 'parley-capabilities': capabilities }),
          ...(date !== undefined && { date }),
        },
        body: JSON.stringify(value),
      })
      if (base !== deployment) {
        expect(method).toBe('POST')
        if (unreachable-- > 0) throw new TransportError('refused', 'ECONNREFUSED', false)
        deliveries.push({ headers, text: String(body) })
        return json({})
      }
      expect(method).toBe('GET')
      if (outage-- > 0) throw new TransportError('refused', 'ECONNREFUSED', false)
      const page = (data: Fields[]) => json({ data, total: data.length, per_page: 100, current_page: 1, last_page: 1 })
      if (url.startsWith('/api/user/calls')) {
        shown = structuredClone(lists)
        // Happens after this poll, which reads the other lists next.
        await pending.shift()?.()
        return page(shown.calls)
      }
      if (url.startsWith('/api/user/conversations')) return page(shown.conversations)
      if (url.startsWith('/api/user/automate/runs')) return json({ data: shown.runs, next_cursor: null })
      return json([])
    },
    close: async () => {},
  })
  const env = { PARLEY_BASE_URL: deployment, PARLEY_API_KEY: '12|AbCdEfGhIjKlMnOpQrStUvWxYz' }
  return {
    by,
    lists,
    deliveries,
    afterPoll: (work: () => unknown) => void pending.push(work),
    loseReceiver: (times: number) => {
      unreachable = times
    },
    loseDeployment: (times: number) => {
      outage = times
    },
    listen: (line: string): Promise<Run> => by.run(`events listen ${line} -o ndjson`, { env, connect }),
    /** Sends a recorded event to the receiver again. */
    replay: (): Promise<Run> => {
      mkdirSync(join(by.cwd, 'recorded'), { recursive: true })
      const event = { id: 'msg_1', kind: 'call.ended', payload: { id: 99 } }
      writeFileSync(join(by.cwd, 'recorded', '000001-call.ended-msg_1.json'), JSON.stringify(event))
      return by.run(`events replay recorded --forward-to ${target}`, { env, connect })
    },
    stateFile: () => {
      const folder = join(by.dataDir, 'events')
      return join(folder, readdirSync(folder).find((it) => it.endsWith('.ndjson')) as string)
    },
  }
}

const idsOf = (deliveries: readonly Delivery[]): readonly unknown[] =>
  deliveries.map(({ text }) => JSON.parse(text).id ?? JSON.parse(text).conversation_id)
const rows = ({ stdout }: Run): readonly Fields[] =>
  stdout
    .split('\n')
    .filter((it) => it.startsWith('{'))
    .map((it) => JSON.parse(it))
    .filter((it) => it.kind !== undefined)

test('a replay signs with the secret of events listen, also before and while it runs, and loses no event to it', async () => {
  const { listen, replay, lists, deliveries, afterPoll, stateFile } = desk()
  expect((await replay()).exitCode).toBe(0)
  const { secret } = JSON.parse(readFileSync(stateFile(), 'utf8').split('\n')[0] as string)
  expect((await replay()).exitCode).toBe(0)
  // Ended before events listen started for the first time.
  lists.calls = [call(1, 'completed', 0)]
  let during: Run | undefined
  afterPoll(async () => {
    during = await replay()
    lists.calls = [call(2, 'completed', 3), call(1, 'completed', 0)]
  })
  expect((await listen(`--forward-to ${target} --limit 1`)).exitCode).toBe(0)
  expect(during).toMatchObject({ exitCode: 0 })
  expect(idsOf(deliveries)).toEqual([99, 99, 99, 2])
  for (const delivery of deliveries) verify(secret, delivery, today)
})

test('new events of a deployment are delivered signed, in order and once, and a later run continues', async () => {
  const { listen, lists, deliveries, afterPoll, stateFile } = desk()
  lists.calls = [call(1, 'completed', 0), call(2, 'queued', 1)]
  lists.conversations = [conversation('c-1', 0)]
  afterPoll(() => {
    lists.calls = [call(2, 'ended_by_customer', 3), call(1, 'completed', 0)]
  })
  const first = await listen(`--forward-to ${target} --limit 1`)
  expect(first).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Not visible: ') })
  expect(first.stderr).toContain('ends of conversations and failed runs of automations')
  expect(rows(first)).toMatchObject([{ kind: 'call.ended', status: 200, error: null, payload: { id: 2 } }])

  // While no process listens.
  lists.calls.unshift(call(3, 'failed', 6), call(4, 'ringing', 7))
  lists.conversations.unshift(conversation('c-2', 5))
  const second = await listen(`--forward-to ${target} --limit 2`)
  expect(rows(second).map(({ kind }) => kind)).toEqual(['conversation.started', 'call.ended'])
  lists.calls = lists.calls.map((it) => (it.id === 4 ? call(4, 'completed', 9) : it))
  await listen(`--forward-to ${target} --limit 1`)

  expect(idsOf(deliveries)).toEqual([2, 'c-2', 3, 4])
  expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
  const { secret } = JSON.parse(readFileSync(stateFile(), 'utf8').split('\n')[0] as string)
  for (const delivery of deliveries) verify(secret, delivery, today)
  expect(verify(secret, deliveries[0] as Delivery, today)).toEqual({
    id: 2,
    customer_phone: '+14155550142',
    assistant_phone: '+14155550100',
    duration: 60,
    status: 'ended_by_customer',
    extracted_variables: { goal: 'met' },
    formatted_transcript: 'AI: Hello.',
    recording_url: null,
    created_at: minute(1),
  })
})

test('listening begins at the time of the deployment, also when its clock is far behind that of this computer', async () => {
  const aMonthAgo = -30 * 24 * 60
  const { listen, lists, afterPoll } = desk(undefined, new Date(minute(aMonthAgo)).toUTCString())
  lists.calls = [call(1, 'completed', aMonthAgo - 5)]
  afterPoll(() => lists.calls.unshift(call(2, 'completed', aMonthAgo + 1)))
  afterPoll(() => lists.calls.unshift(call(3, 'completed', 1)))
  const heard = await listen('--print --limit 1')
  expect(rows(heard), heard.stderr).toMatchObject([{ kind: 'call.ended', payload: { id: 2 } }])
})

test('an event is repeated with the same id if its delivery was not saved, also after an unfinished line', async () => {
  const { listen, lists, deliveries, afterPoll, stateFile } = desk()
  afterPoll(() => lists.calls.push(call(1, 'completed', 1), call(2, 'completed', 2)))
  await listen(`--forward-to ${target} --limit 2`)
  // A process that was killed after the response, while it saved the second delivery.
  const [header, one, two = ''] = readFileSync(stateFile(), 'utf8').split('\n')
  writeFileSync(stateFile(), `${header}\n${one}\n${two.slice(0, 9)}`)
  lists.calls.push(call(3, 'completed', 3))
  await listen(`--forward-to ${target} --limit 2`)
  expect(idsOf(deliveries)).toEqual([1, 2, 2, 3])
  const ids = deliveries.map(({ headers }) => headers['webhook-id'])
  expect(ids[2]).toBe(ids[1])
  // Nothing is left to deliver.
  afterPoll(() => lists.calls.push(call(4, 'completed', 4)))
  await listen(`--forward-to ${target} --limit 1`)
  expect(idsOf(deliveries).slice(4)).toEqual([4])
})

test('an event waits for a receiver that cannot be reached, and the order stays', async () => {
  const { listen, lists, deliveries, afterPoll, loseReceiver } = desk()
  afterPoll(() => {
    lists.calls.push(call(1, 'completed', 1), call(2, 'completed', 2))
    loseReceiver(3)
  })
  const run = await listen(`--forward-to ${target} --limit 2`)
  expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('waits until the receiver can be reached') })
  expect(run.stderr.split('waits until').length).toBe(2)
  expect(idsOf(deliveries)).toEqual([1, 2])
})

test('ends of conversations and failed runs are delivered where the deployment reports them', async () => {
  const { listen, lists, afterPoll } = desk('details runs')
  lists.conversations = [conversation('c-1', 0, { status: 'open' })]
  afterPoll(() => {
    lists.conversations = [conversation('c-1', 0, { status: 'ended', updated_at: minute(4) })]
    lists.runs = [{ id: 'r1', status: 'FAILED', started_at: minute(1), duration_ms: 1000, error: 'Look: none.' }]
  })
  const run = await listen('--print --limit 2')
  expect(run.stderr).not.toContain('failed runs of automations')
  expect(rows(run)).toMatchObject([
    { kind: 'automation.run_failed', payload: { id: 'r1', error: 'Look: none.' }, status: null },
    { kind: 'conversation.ended', payload: { conversation_id: 'c-1', status: 'ended', message_count: 2 } },
  ])
})

test('--record saves each event once, in order', async () => {
  const { by, listen, lists, afterPoll, stateFile } = desk()
  afterPoll(() => lists.calls.push(call(1, 'completed', 1), call(2, 'completed', 2)))
  await listen('--record events --limit 2')
  const files = (): string[] => readdirSync(join(by.cwd, 'events')).sort()
  expect(files()).toEqual([
    expect.stringMatching(/^000001-call\.ended-msg_\w+\.json$/),
    expect.stringMatching(/^000002-call\.ended-msg_\w+\.json$/),
  ])
  expect(JSON.parse(readFileSync(join(by.cwd, 'events', files()[1] as string), 'utf8'))).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    kind: 'call.ended',
    payload: { id: 2 },
  })
  // The second one is delivered again, and is in the folder.
  writeFileSync(stateFile(), `${readFileSync(stateFile(), 'utf8').split('\n').slice(0, 2).join('\n')}\n`)
  lists.conversations.push(conversation('c-9', 9))
  await listen('--record events --limit 2')
  expect(files().map((it) => it.slice(0, 12))).toEqual(['000001-call.', '000002-call.', '000003-conve'])
})

test('two processes do not listen with one profile, and settings of a platform with control are refused', async () => {
  const { listen, lists, afterPoll, stateFile } = desk()
  afterPoll(() => lists.calls.push(call(1, 'completed', 1)))
  await listen('--print --limit 1')
  const lock = `${stateFile()}.lock`
  expect(existsSync(lock)).toBe(false)
  writeFileSync(lock, String(process.ppid))
  expect(await listen('--print --limit 1')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining(`Process ${process.ppid} already listens`),
  })
  expect(await listen('--print --account 1')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('PARLEY_CONTROL_TOKEN'),
  })
})

test('an outage of the deployment is waited for after the first poll; before it, the command fails', async () => {
  const { listen, lists, deliveries, afterPoll, loseDeployment } = desk()
  afterPoll(() => {
    lists.calls = [call(1, 'completed', 1)]
  })
  // Later, because this poll reads two more lists.
  afterPoll(() => loseDeployment(40))
  const heard = await listen(`--forward-to ${target} --limit 1`)
  expect([heard.exitCode, idsOf(deliveries)]).toEqual([0, [1]])
  expect(heard.stderr.match(/Waiting until the deployment can be reached/g)).toHaveLength(1)
  loseDeployment(1000)
  expect((await listen('--print --limit 1')).exitCode).toBe(9)
})
