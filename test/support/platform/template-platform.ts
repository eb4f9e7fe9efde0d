import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { beforeAll } from 'vitest'
import { createHttpClient, defaultPolicy } from '../../../src/engine/http/http-client.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { afterFile } from '../cleanup.ts'
import { sqlite } from '../databases.ts'
import { hangMs } from '../hang-timeout.ts'
import { addAssistant } from './chat-platform.ts'
import type { Answered, Api, Place } from './platform-api.ts'
import { fresh, tablesOf } from './test-platforms.ts'

/** Request that a test server received. */
export interface Got {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Starts a web server on loopback that records requests and responds with the result of `answer`. */
export async function receiver(
  answer: (got: Got) => { status?: number; body: unknown } = () => ({ body: {} }),
): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = []
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const part of request) body += part
    const one = {
      method: request.method ?? '',
      url: new URL(request.url ?? '/', 'http://here'),
      headers: request.headers,
      body,
    }
    got.push(one)
    const { status = 200, body: said } = answer(one)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got }
}

export interface Received {
  readonly from: string
  readonly to: readonly string[]
  /** Complete message as received. */
  readonly raw: string
}

/** Starts a mail server on loopback that accepts everything, except if `refusal` returns an error. */
export async function mailSink(
  refusal: () => Error | undefined = () => undefined,
): Promise<{ port: number; got: Received[] }> {
  const got: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      let raw = ''
      stream.setEncoding('utf8')
      stream.on('data', (part: string) => {
        raw += part
      })
      stream.on('end', () => {
        const no = refusal()
        if (no) return done(no)
        got.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map((it) => it.address),
          raw,
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, got }
}

/** Starts a platform with sample data on SQLite, for tests of templates. Its clock is fixed until `wait`. */
export function templatePlatform() {
  let api: Api & { readonly place: Place }
  let tables: Connection
  const time = { ms: Date.UTC(2027, 2, 1, 12) }
  beforeAll(async () => {
    const http = createHttpClient({ ...defaultPolicy, allowPrivate: true })
    api = await fresh(sqlite, {
      wall: () => time.ms,
      seed: 7,
      automationPorts: { http },
    })
    tables = await tablesOf(api.place)
  })
  const at = '/api/user/automate'
  const apply = (key: string, body: object = {}): Promise<Answered> =>
    api.ask('POST', `${at}/templates/${key}`, { body })
  /** Applies a template, to a new assistant if it needs one, and expects that it is live and its test passed. */
  async function applied(
    key: string,
    params: object,
    { assistant }: { assistant?: number } = {},
  ): Promise<{ id: string; hook: string; built: Answered['body'] }> {
    const { status, body } = await apply(key, {
      params,
      confirm_side_effects: true,
      ...(assistant !== undefined && { assistant_id: assistant }),
    })
    if (status !== 201) throw new Error(`${key}: ${status} ${JSON.stringify(body)}`)
    return { id: body.automation_id, hook: body.webhook_url, built: body }
  }
  const assistant = async (more: object = {}): Promise<number> => (await addAssistant(tables, 1, more)).id
  const runs = async (id: string): Promise<Answered['body'][]> =>
    (await api.ask('GET', `${at}/flows/${id}/runs`)).body.runs
  const run = async (id: string, run: string): Promise<Answered['body']> =>
    (await api.ask('GET', `${at}/flows/${id}/runs?run_id=${run}`)).body.run
  /** Returns a run once it has ended or waits. */
  async function settled(id: string, of?: string): Promise<Answered['body']> {
    for (const late = Date.now() + hangMs; Date.now() < late; ) {
      const found = of ?? (await runs(id))[0]?.id
      const answer = found && (await run(id, found))
      if (answer && answer.status !== 'RUNNING') return answer
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`A run of ${id} does not end.`)
  }
  /** Fires an event of an assistant and returns the finished run that it started. */
  async function fire(
    kind: string,
    assistant_id: number,
    id: string,
    payload: object,
  ): Promise<{ run: Answered['body']; data: Answered['body'] }> {
    const { body } = await api.control('POST', '/control/events', { account: 1, kind, assistant_id, payload })
    return { run: await settled(id, body.data.run_id), data: body.data }
  }
  const hook = async (
    id: string,
    suffix: string,
    body: unknown,
  ): Promise<{ status: number; body: Answered['body'] }> => {
    const url = `/automate/api/v1/webhooks/${id}${suffix}`
    const answer = await api.platform.handle({
      method: 'POST',
      url,
      headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: answer.body === '' ? null : JSON.parse(answer.body) }
  }
  const connect = (kind: string, secret: object = {}): Promise<Answered> =>
    api.control('POST', '/control/accounts/1/connections', { kind, secret })
  const fileOf = (name: string): string => join(api.place.dataDir, 'spreadsheets', '1', `${name}.csv`)
  const sheet = (name: string): string => readFileSync(fileOf(name), 'utf8')
  function writeSheet(name: string, text: string): void {
    mkdirSync(dirname(fileOf(name)), { recursive: true })
    writeFileSync(fileOf(name), text)
  }
  /** Advances the time and runs the jobs that become due. */
  async function wait(ms: number): Promise<void> {
    time.ms += ms
    await api.platform.due.drain()
  }
  return {
    time,
    apply,
    applied,
    assistant,
    runs,
    settled,
    fire,
    hook,
    connect,
    sheet,
    writeSheet,
    wait,
    api: () => api,
    tables: () => tables,
  }
}

/** Returns the payload of an ended call. */
export const call = (more: object = {}): object => ({
  id: 7,
  customer_phone: '+14155550142',
  assistant_phone: '+14155550199',
  duration: 61,
  status: 'completed',
  extracted_variables: { status: true, summary: 'Wants a check-up.' },
  input_variables: {},
  transcript: [],
  formatted_transcript: 'AI: Hello\nCustomer: A check-up, please.',
  created_at: '2027-03-01T11:58:00.000Z',
  finished_at: '2027-03-01T11:59:01.000Z',
  ...more,
})
