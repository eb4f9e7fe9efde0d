import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Request that a server received. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | 'silence'
  | 'drop'

/** External server on loopback. It records requests and responds as the test defines. */
export interface Receiver {
  readonly url: string
  readonly got: Received[]
  answer(with_: (request: Received) => Answer): void
  close(): Promise<void>
}

/** Starts a server that records requests. */
export async function receiver(): Promise<Receiver> {
  const got: Received[] = []
  let answering: (request: Received) => Answer = () => ({ body: {} })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const received = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
    got.push(received)
    const answer = answering(received)
    if (answer === 'silence') return
    if (answer === 'drop') return void request.socket.destroy()
    const { status = 200, headers: more = {}, body = {} } = answer
    response
      .writeHead(status, { 'content-type': 'application/json', ...more })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answer(answerer) {
      got.length = 0
      answering = answerer
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
