import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Request that the endpoint of a model received. */
export interface ModelRequest {
  readonly path: string
  readonly authorization: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests read it and fail if it is not as expected
  readonly body: any
}

/**
 * Part of a streamed response: text, a (partial) function call, a delay, raw data, a broken connection, or an early
 * end.
 */
export type Act =
  | { readonly say: string }
  | { readonly call: { readonly index?: number; readonly id?: string; readonly name?: string; readonly args?: string } }
  | { readonly until: Promise<unknown> }
  | { readonly raw: string }
  | 'drop'
  | 'end'
  | 'silence'

/** Response to a request: a stream, ended correctly unless its parts do otherwise, or a plain response. */
export type Answering =
  | readonly Act[]
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string }

/** Server that implements the chat-completions protocol as the test defines. */
export interface ModelServer {
  /** Base URL, with `/v1`. */
  readonly url: string
  readonly requests: ModelRequest[]
  /** Sets the response to further requests, by the request and the number of requests before it. */
  answer(with_: (request: ModelRequest, n: number) => Answering): void
  close(): Promise<void>
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const toChunk = (
  act: { readonly say: string } | { readonly call: { index?: number; id?: string; name?: string; args?: string } },
): string => {
  if ('say' in act) return chunk({ content: act.say })
  const { index = 0, id, name, args } = act.call
  return chunk({
    tool_calls: [
      {
        index,
        ...(id !== undefined && { id, type: 'function' }),
        function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
      },
    ],
  })
}

/** Returns a complete function call, its arguments split as models do. */
export function calling(name: string, args: object, { id = `call_${name}`, index = 0 } = {}): Act[] {
  const text = JSON.stringify(args)
  const half = text.length >> 1
  return [
    { call: { index, id, name, args: '' } },
    { call: { index, args: text.slice(0, half) } },
    { call: { index, args: text.slice(half) } },
  ]
}

/** Starts a model server. */
export async function modelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  let answering: (request: ModelRequest, n: number) => Answering = () => [{ say: 'Hello.' }]

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    }
    requests.push(asked)
    const answer = answering(asked, requests.length - 1)
    if ('status' in answer)
      return void response
        .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
        .end(answer.body)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ role: 'assistant', content: '' }))
    for (const act of answer) {
      if (act === 'silence') return
      if (act === 'end') return void response.end()
      if (act === 'drop') return void response.write('', () => request.socket.destroy())
      if ('until' in act) await act.until
      else response.write('raw' in act ? act.raw : toChunk(act))
    }
    response.write(chunk({}, answer.some((it) => typeof it === 'object' && 'call' in it) ? 'tool_calls' : 'stop'))
    response.end('data: [DONE]\n\n')
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer: (answerer) => {
      requests.length = 0
      answering = answerer
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
