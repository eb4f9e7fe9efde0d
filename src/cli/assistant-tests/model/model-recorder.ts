import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeCause } from '../../../node/describe-cause.ts'
import { withTimeLimit } from '../../../node/time-limit.ts'
import { type Cassette, type ModelQuestion, questionKey, staleReason, toEntry } from './cassette.ts'
import { readCompletion, toCompletionBody } from './completion-text.ts'
import type { AskModel } from './simulated-customer.ts'

/** The real model, from the environment. */
export interface ModelEndpoint {
  readonly url: string
  readonly model: string
  readonly key: string | undefined
  readonly timeoutMs: number
}

/** The model of one run of a scenario: recorded responses, or the real model. */
export interface ModelSession {
  /** Base URL of the endpoint for the platform. */
  readonly url: string
  readonly ask: AskModel
  /** Why the cassette does not fit; undefined while it does. */
  readonly stale: () => string | undefined
  /** Why the model gave no response; undefined while it did. */
  readonly problem: () => string | undefined
  /** The responses of the real model so far. */
  readonly recorded: () => Cassette['entries']
  close(): Promise<void>
}

/** Maximum bytes of a request. */
const maxRequestBytes = 8 * 1024 * 1024

/**
 * Starts an endpoint on loopback in the chat-completions protocol. It answers from the cassette, or passes requests to
 * the real model and records the answers.
 */
export async function startModelSession(
  cassette: Cassette | undefined,
  endpoint: ModelEndpoint | undefined,
  signal: AbortSignal,
): Promise<ModelSession> {
  const left = [...(cassette?.entries ?? [])]
  const entries: Cassette['entries'] = []
  let position = 0
  let stale: string | undefined
  let problem: string | undefined

  async function complete(body: string): Promise<{ status: number; body: string }> {
    const question = JSON.parse(body) as ModelQuestion
    if (cassette) {
      const key = questionKey(question)
      const found = left.findIndex((it) => it.key === key)
      const [entry] = found < 0 ? [] : left.splice(found, 1)
      if (!entry) stale ??= staleReason(cassette, question, position)
      position += 1
      return entry
        ? { status: 200, body: toCompletionBody(entry.response) }
        : { status: 409, body: '{"error":{"message":"stale"}}' }
    }
    const { url, model, key, timeoutMs } = endpoint as ModelEndpoint
    const { status, headers, text } = await withTimeLimit(timeoutMs, [signal], async (limited) => {
      const response = await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
        method: 'POST',
        redirect: 'manual',
        signal: limited,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'parley',
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ ...question, model }),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
    if (status !== 200) {
      problem = `The language model answered ${status}.`
      return { status, body: '{"error":{"message":"refused"}}' }
    }
    const read = readCompletion(text, /event-stream/i.test(headers.get('content-type') ?? ''))
    entries.push(toEntry(question, read))
    return { status: 200, body: toCompletionBody(read) }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request) {
      size += (chunk as Buffer).length
      if (size > maxRequestBytes) return void response.writeHead(413).end()
      chunks.push(chunk as Buffer)
    }
    const completed = await complete(Buffer.concat(chunks).toString()).catch((error: unknown) => {
      const isTimeout = (error as { readonly name?: string }).name === 'TimeoutError'
      problem = isTimeout
        ? `The language model did not answer within ${(endpoint?.timeoutMs ?? 0) / 1000} s.`
        : `The language model at ${new URL(endpoint?.url ?? '').host} could not be used: ${describeCause(error)}.`
      // Not retried by the platform: a model that hangs once would hang again.
      return { status: 424, body: '{"error":{"message":"failed"}}' }
    })
    response.writeHead(completed.status, { 'content-type': 'application/json' }).end(completed.body)
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async ask(messages) {
      const completed = await complete(JSON.stringify({ messages }))
      if (completed.status !== 200) throw new Error(`The language model answered ${completed.status}.`)
      return readCompletion(completed.body, false).content
    },
    stale: () => stale,
    problem: () => problem,
    recorded: () => entries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
