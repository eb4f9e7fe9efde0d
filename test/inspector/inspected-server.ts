import { mkdirSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { type ServeSettings, serve } from '../../src/platform/serve.ts'
import { afterFile } from '../support/cleanup.ts'
import { schemaTemplate, temporaryFolder } from '../support/databases.ts'
import { isAlive } from '../support/platform/platform-api.ts'

/** A response of the server. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: responses of every endpoint
  readonly json: any
}

/** Writes a page as the build does. */
export function pageFolder(): string {
  const folder = join(temporaryFolder(), 'page')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.html.gz'), gzipSync('<!doctype html><title>Parley</title>'))
  writeFileSync(join(folder, 'inspector-abc.js.gz'), gzipSync('console.log(1)'))
  writeFileSync(join(folder, '../secret.html.gz'), gzipSync('secret'))
  return folder
}

/** Sends a request with exactly these headers, which `fetch` would not allow. */
export const send = (url: string, method: string, headers: Record<string, string>, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    // The path as given, because a URL would resolve its dot segments.
    const path = url.replace(/^https?:\/\/[^/]*/, '')
    const sent = request({ hostname, port, path, method, headers }, async (response) => {
      const content = await text(response)
      let json: unknown
      try {
        json = JSON.parse(content)
      } catch {}
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content, json })
    })
    sent.on('error', reject)
    sent.end(body)
  })

type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

/** Calls the API, and agrees to what the inspector asks. */
export async function agree(call: Call, method: string, path: string, body?: object): Promise<Answer> {
  const asked = await call(method, path, body)
  return asked.status === 202 ? call(method, path, body, agreementTo(asked)) : asked
}

/** Headers that agree to the question of an answer. */
export const agreementTo = ({ json }: Pick<Answer, 'json'>): Record<string, string> => ({
  'parley-inspector-confirm': encodeURIComponent(json.confirm.expected),
  'parley-inspector-agreement': json.confirm.agreement,
})

/** Serves a platform with an inspector until the tests of the file end. */
export async function inspectedServer(settings: Partial<ServeSettings> = {}) {
  const logged: string[] = []
  const server = await serve({
    dataDir: temporaryFolder(),
    template: schemaTemplate,
    durable: false,
    host: '127.0.0.1',
    port: 0,
    pid: process.pid,
    isAlive,
    seed: 7,
    inspectorFolder: pageFolder(),
    log: (it) => void logged.push(it),
    ...settings,
  })
  afterFile(() => server.stop())
  const get = (path: string, headers: Record<string, string> = {}) => send(`${server.url}${path}`, 'GET', headers)
  /** Signs in and returns the cookie. */
  const signIn = async (): Promise<string> => {
    const { body } = await server.control('POST', '/control/inspector/logins')
    const { headers } = await get(JSON.parse(body).path)
    return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  }
  /** Calls the API as the page does. */
  const page = async () => {
    const cookie = await signIn()
    return (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      send(
        `${server.url}/_parley/api${path}`,
        method,
        { cookie, 'parley-inspector': '1', ...(body && { 'content-type': 'application/json' }), ...headers },
        body && JSON.stringify(body),
      )
  }
  return { ...server, logged, get, signIn, page }
}
