import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { redactText } from '../../../../contract/values/redact.ts'
import { describeCause } from '../../../../node/describe-cause.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { withTimeLimit } from '../../../../node/time-limit.ts'
import type { System } from '../../../program/system.ts'
import {
  type Cassette,
  type ModelQuestion,
  questionKey,
  readCompletion,
  readUsage,
  staleReason,
  toCompletionBody,
  toEntry,
} from './cassette.ts'
import type { AskModel } from './simulated-customer.ts'

/** The real model, from the environment. */
export interface ModelEndpoint {
  readonly url: string
  readonly model: string
  readonly key: string | undefined
  readonly timeoutMs: number
}

/** What the real model says that its answers have used. */
export interface ModelUsage {
  /** Number of answers, and of those that say how many tokens they used. */
  readonly answers: number
  readonly counted: number
  /** Tokens of the requests and of the answers. */
  readonly input: number
  readonly output: number
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
  /** Milliseconds that the model took so far, when it was recorded; undefined for a model that is really asked. */
  readonly recordedMs: () => number | undefined
  /** The responses of the real model so far. */
  readonly recorded: () => Cassette['entries']
  readonly usage: () => ModelUsage
  close(): Promise<void>
}

/** Returns what a model says about a request that it refuses, without the key; empty if it says nothing short. */
function refusalText(body: string, key: string | undefined): string {
  const [, said = ''] = /"message"\s*:\s*"((?:[^"\\]|\\.){1,300})"/.exec(body) ?? []
  const hidden = key === undefined ? said : said.replaceAll(key, '***')
  return hidden === '' ? '' : `: ${redactText(hidden).replace(/\.$/, '')}`
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
  { signal, now }: Pick<System, 'signal' | 'now'>,
): Promise<ModelSession> {
  const left = [...(cassette?.entries ?? [])]
  const entries: Cassette['entries'] = []
  let position = 0
  let stale: string | undefined
  /** Why requests failed, by their key. One that succeeds later is none. */
  const problems = new Map<string, string>()
  let usage: ModelUsage = { answers: 0, counted: 0, input: 0, output: 0 }
  let recordedMs = cassette?.entries.every((it) => it.latency_ms !== undefined) ? 0 : undefined

  async function complete(body: string): Promise<{ status: number; body: string }> {
    const question = parseJson(body) as ModelQuestion
    if (cassette) {
      const key = questionKey(question)
      const found = left.findIndex((it) => it.key === key)
      const [entry] = found < 0 ? [] : left.splice(found, 1)
      if (!entry) stale ??= staleReason(cassette, question, position)
      position += 1
      if (recordedMs !== undefined) recordedMs += entry?.latency_ms ?? 0
      return entry
        ? { status: 200, body: toCompletionBody(entry.response) }
        : { status: 409, body: '{"error":{"message":"stale"}}' }
    }
    const { url, model, key, timeoutMs } = endpoint as ModelEndpoint
    const startedAt = now()
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
        body: stringifyJson({ ...question, model }),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
    if (status !== 200) {
      problems.set(questionKey(question), `The language model answered ${status}${refusalText(text, key)}.`)
      return { status, body: '{"error":{"message":"refused"}}' }
    }
    const isStream = /event-stream/i.test(headers.get('content-type') ?? '')
    const read = readCompletion(text, isStream)
    const used = readUsage(text, isStream)
    usage = {
      answers: usage.answers + 1,
      counted: usage.counted + (used ? 1 : 0),
      input: usage.input + (used?.input ?? 0),
      output: usage.output + (used?.output ?? 0),
    }
    problems.delete(questionKey(question))
    entries.push(toEntry(question, read, Math.round(now() - startedAt)))
    return { status: 200, body: toCompletionBody(read) }
  }

  /** Completes a request. The reason of a failure becomes the problem of the session. */
  const completeSafely = (body: string): Promise<{ status: number; body: string }> =>
    complete(body).catch((error: unknown) => {
      const isTimeout = (error as { readonly name?: string }).name === 'TimeoutError'
      const problem = isTimeout
        ? `The language model did not answer within ${(endpoint?.timeoutMs ?? 0) / 1000} s.`
        : `The language model at ${new URL(endpoint?.url ?? '').host} could not be used: ${describeCause(error)}.`
      // `ask` throws the last entry.
      problems.delete('')
      problems.set('', problem)
      // Not retried by the platform: a model that hangs once would hang again.
      return { status: 424, body: '{"error":{"message":"failed"}}' }
    })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request) {
      size += (chunk as Buffer).length
      if (size > maxRequestBytes) return void response.writeHead(413).end()
      chunks.push(chunk as Buffer)
    }
    const completed = await completeSafely(Buffer.concat(chunks).toString())
    response.writeHead(completed.status, { 'content-type': 'application/json' }).end(completed.body)
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async ask(messages) {
      const completed = await completeSafely(stringifyJson({ messages }))
      if (completed.status !== 200)
        throw new Error(stale ?? [...problems.values()].at(-1) ?? `The language model answered ${completed.status}.`)
      return readCompletion(completed.body, false).content
    },
    stale: () => stale,
    problem: () => [...problems.values()][0],
    recordedMs: () => recordedMs,
    recorded: () => entries,
    usage: () => usage,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
