import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What happens to one request on its way: dropped before it arrives, or its answer dropped. A promise holds it for as long as it takes. */
export type Fate = 'drop' | undefined

/** An answer that returns. */
export interface RelayedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface RelayOptions {
  /** Offers nothing beyond the specification: no capabilities, no versions, publishing before testing. */
  readonly plain?: boolean
  readonly before?: (request: Pick<IncomingMessage, 'method' | 'url'>) => Fate | Promise<Fate>
  readonly after?: (request: Pick<IncomingMessage, 'method' | 'url'>) => Fate | Promise<Fate>
  /** Answers a request without the server; undefined for those that it gets. */
  readonly instead?: (request: Pick<IncomingMessage, 'method' | 'url'>, body: string) => RelayedAnswer | undefined
  /** Changes an answer. */
  readonly alter?: (request: Pick<IncomingMessage, 'method' | 'url'>, answer: RelayedAnswer) => RelayedAnswer
}

const extensions = new Set(['parley-publish', 'parley-if-version', 'parley-details', 'parley-recall'])

/** Relays between a command and a server for the length of a test. Returns its address. */
export async function relay(
  server: string,
  { plain = false, before, after, instead, alter }: RelayOptions,
): Promise<string> {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if ((await before?.(request)) === 'drop') return void request.socket.destroy()
    const own = instead?.(request, Buffer.concat(chunks).toString())
    if (own) {
      response.writeHead(own.status, own.headers)
      return void response.end(own.text)
    }
    if (plain && /\/flows\/\w+\/versions/.test(request.url ?? '')) {
      response.writeHead(404, { 'content-type': 'application/json' })
      return void response.end('{"message":"Not Found"}')
    }
    const { host: _, connection: _also, ...given } = request.headers as Record<string, string>
    const headers = Object.fromEntries(Object.entries(given).filter(([name]) => !plain || !extensions.has(name)))
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const fetched = await fetch(server + request.url, { method: request.method ?? 'GET', headers, ...body })
    const headersBack = [...fetched.headers].filter(
      ([name]) =>
        !/^(content-length|connection|transfer-encoding|keep-alive)$/.test(name) &&
        !(plain && name.startsWith('parley-')),
    )
    const unchanged = { status: fetched.status, headers: Object.fromEntries(headersBack), text: await fetched.text() }
    if ((await after?.(request)) === 'drop') return void request.socket.destroy()
    const answer = alter?.(request, unchanged) ?? unchanged
    response.writeHead(answer.status, {
      ...answer.headers,
      ...(answer.status !== 204 && { 'content-length': Buffer.byteLength(answer.text) }),
    })
    response.end(answer.status === 204 ? undefined : answer.text)
  }
  const proxy = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    await new Promise((done) => proxy.close(done))
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
