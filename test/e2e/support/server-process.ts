import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Place, parley, type Running, start } from './built-program.ts'

/** `parley server start` as a process of its own. */
export interface Served {
  readonly at: Place
  readonly url: string
  readonly key: string
  readonly process: Running
  /** One request as any HTTP client makes it, with the key from the data folder. */
  fetch(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: Answer }>
}

/** The lists an answer may hold. */
interface Answer {
  readonly api_keys: readonly { readonly name: string }[]
  readonly data: readonly { readonly phone_number: string }[]
}

export const credentialsOf = (at: Place): { readonly key: string; readonly control: string } =>
  JSON.parse(readFileSync(join(at.data, 'credentials.json'), 'utf8'))

/** Serves a place on a free port until the test file ends. */
export async function serve(
  at: Place,
  { flags = '', env = {} }: { readonly flags?: string; readonly env?: Record<string, string> } = {},
): Promise<Served> {
  const process = start(`server start --port 0 ${flags}`.trim(), { at, env })
  const url = await process.until('Listening on ')
  const { key } = credentialsOf(at)
  return {
    at,
    url,
    key,
    process,
    async fetch(method, path, body, signal) {
      const answer = await fetch(`${url}/api/user/${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
      return { status: answer.status, body: (await answer.json()) as Answer }
    },
  }
}

/** What happens to a purchase on its way: cut after the platform has answered, cut before it is asked, or held until the caller gives up. */
export type Mishap = 'answer lost' | 'answer torn' | 'request lost' | 'answer late'

/** Something between a command and a server that lets all through but purchases. For the length of a test. */
export async function mishapBefore(
  server: Served,
  mishap: Mishap,
): Promise<{ readonly url: string; readonly purchases: () => number; readonly received: Promise<void> }> {
  let purchases = 0
  let arrive = (): void => {}
  const received = new Promise<void>((done) => {
    arrive = done
  })
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const isPurchase = request.method === 'POST'
    if (isPurchase) purchases++
    if (isPurchase && mishap === 'request lost') return void request.socket.destroy()
    const { host: _, connection: _also, ...headers } = request.headers as Record<string, string>
    const answer = await fetch(server.url + request.url, {
      method: request.method ?? 'GET',
      headers,
      ...(isPurchase && { body: Buffer.concat(chunks) }),
    })
    const body = await answer.text()
    if (isPurchase) arrive()
    if (isPurchase && mishap === 'answer lost') return void request.socket.destroy()
    if (isPurchase && mishap === 'answer late') return
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    if (!isPurchase) return void response.end(body)
    response.write(body.slice(0, 20), () => request.socket.destroy())
  }
  const proxy = createServer((request, response) => {
    relay(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    await new Promise((done) => proxy.close(done))
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, purchases: () => purchases, received }
}

/** Numbers for sale, as a search shows them. */
export async function numbersForSale(at: Place, country = 'US'): Promise<string[]> {
  const { stdout } = await parley(`numbers search --country ${country} -o id`, { at })
  return stdout.trim().split('\n')
}
