import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { root } from '../../../support/sources.ts'

/** What the fake server answers instead of a platform. */
export interface FakeOptions {
  readonly session?: Readonly<Record<string, unknown>>
  /** Answers a request of the gateway; undefined passes it on. */
  readonly route?: (
    method: string,
    path: string,
    body: unknown,
    headers: IncomingMessage['headers'],
  ) => FakeAnswer | undefined | Promise<FakeAnswer | undefined>
}

export interface FakeAnswer {
  readonly status?: number
  readonly body: unknown
  readonly shown?: Readonly<Record<string, string>>
  readonly command?: string
  /** Answers with this text and not in the form of the gateway. */
  readonly raw?: unknown
}

export interface FakeInspector {
  readonly url: string
  /** Requests for paths of the gateway: `GET /control/clock`. */
  readonly requests: string[]
  readonly emit: (change: Readonly<Record<string, unknown>>) => void
  readonly dropStreams: () => void
  readonly close: () => Promise<void>
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const folder = join(root, 'dist/inspector')
const typeOf = (name: string): string =>
  name.endsWith('.js') ? 'text/javascript' : name.endsWith('.css') ? 'text/css' : 'text/html; charset=utf-8'

const defaultSession = {
  mode: 'local',
  read_only: false,
  platform: 'Local platform',
  profile: 'local',
  version: '0.1.0',
  account: 1,
  accounts: [
    { id: 1, name: 'Northwind Dental' },
    { id: 2, name: 'Second account' },
  ],
  pages: {},
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const chunk of request) parts.push(chunk as Buffer)
  const text = Buffer.concat(parts).toString()
  return text === '' ? undefined : JSON.parse(text)
}

/** Serves the built page with answers of a test: the server half of the inspector without a platform. */
export async function startFakeInspector({ session = {}, route }: FakeOptions): Promise<FakeInspector> {
  const streams = new Set<ServerResponse>()
  const requests: string[] = []
  let cursor = 0
  const sendFile = (response: ServerResponse, name: string): void => {
    const file = join(folder, `${name}.gz`)
    if (!existsSync(file)) return void response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': typeOf(name), 'Content-Security-Policy': policy })
    response.end(gunzipSync(readFileSync(file)))
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const path = url.pathname
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    }
    if (path === '/_parley/session') return json(200, { ...defaultSession, ...session })
    if (path === '/_parley/changes') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': connected\n\n')
      streams.add(response)
      response.on('close', () => streams.delete(response))
      return
    }
    if (path.startsWith('/_parley/api/')) {
      const target = path.slice('/_parley/api'.length) + url.search
      requests.push(`${request.method} ${target}`)
      const body = await readBody(request)
      const answer = await route?.(request.method ?? 'GET', target, body, request.headers)
      if (!answer) return json(404, { body: { message: `The fake server has no ${request.method} ${target}` } })
      if (answer.raw !== undefined) return json(answer.status ?? 200, answer.raw)
      return json(answer.status ?? 200, {
        body: answer.body,
        shown: answer.shown ?? {},
        command: answer.command ?? null,
      })
    }
    if (path.startsWith('/_parley/assets/')) return sendFile(response, path.slice('/_parley/assets/'.length))
    if (path.startsWith('/_parley/')) return sendFile(response, 'index.html')
    response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  if (!existsSync(folder) || readdirSync(folder).length === 0)
    throw new Error('The page of the inspector is not built. Run "npm run build" first.')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    emit(change) {
      cursor += 1
      for (const stream of streams) stream.write(`event: change\nid: ${cursor}\ndata: ${JSON.stringify(change)}\n\n`)
    },
    dropStreams() {
      for (const stream of streams) stream.destroy()
    },
    close: () =>
      new Promise((done) => {
        for (const stream of streams) stream.destroy()
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
