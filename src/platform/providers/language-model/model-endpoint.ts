import { describeCause } from '../../../node/describe-cause.ts'
import { stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import { withAnySignal } from '../../../node/time-limit.ts'
import { traceHeaders } from '../../../node/trace.ts'
import { type Completion, CompletionBuilder, InvalidCompletionError, parseCompletion } from './completion.ts'

/** The response is not a stream of server-sent events, or is too long. */
class InvalidStreamError extends Error {
  override readonly name = 'InvalidStreamError'
}

/** Maximum bytes of a stream, and maximum characters of one event. */
const maxStreamBytes = 16 * 1024 * 1024
const maxEventLength = 1024 * 1024

/**
 * Yields the `data` of server-sent events. Chunk boundaries do not matter. Comments, names and ids of events are
 * ignored. @throws InvalidStreamError
 */
export async function* parseEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxStreamBytes) throw new InvalidStreamError('The response is too long.')
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > maxEventLength) throw new InvalidStreamError('The response is too long.')
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
      else if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      }
    }
  }
  // Some servers end the stream without the final empty line.
  const last = rest.replace(/\r$/, '')
  if (last.startsWith('data:')) data.push(last.slice(5).trimStart())
  if (data.length > 0) yield data.join('\n')
}

/** The endpoint of a model and how to call it. */
export interface ModelEndpoint {
  /** Base URL such as `https://host/v1`; `/chat/completions` is appended. */
  readonly baseUrl: string
  readonly key?: string | undefined
  /** Name of the model at the endpoint. */
  readonly model: string
  /** Whether the model accepts a temperature. Some do not. */
  readonly takesTemperature: boolean
  /** Maximum milliseconds without data, before the response starts and between two pieces. */
  readonly timeoutMs: number
  /** Maximum retries when the endpoint is busy or unreachable. */
  readonly retries: number
}

/** The model did not respond. The message is for the chat, `detail` for the operator's log. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly detail: string
  /** Whether nothing of a response was received yet, so that another model may be tried. */
  readonly isUntouched: boolean

  constructor(reason: string, detail: string, isClean: boolean) {
    super(reason)
    this.detail = detail
    this.isUntouched = isClean
  }
}

/** A request for a completion. */
interface CompletionRequest {
  readonly endpoint: ModelEndpoint
  /** The request body without the model and `stream`. */
  readonly body: Readonly<Record<string, unknown>>
  readonly onText?: ((piece: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Maximum delay before a retry in milliseconds. A longer requested delay fails the request, because a caller is
 * waiting.
 */
const maxRetryWaitMs = 10_000
/** Maximum characters of an error in the log. */
const maxLoggedLength = 300

/**
 * Requests a completion. Retries when the endpoint is busy or unreachable, but never after the response has started.
 * @throws ModelError
 */
export async function complete(request: CompletionRequest): Promise<Completion> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptCompletion(request)
    if (!('waitMs' in outcome)) return outcome
    const pause = outcome.waitMs ?? Math.min(maxRetryWaitMs, 500 * 2 ** (attempt - 1))
    if (attempt > request.endpoint.retries || pause > maxRetryWaitMs) throw outcome.failure
    await request.sleep(pause)
  }
}

interface RetryableFailure {
  readonly failure: ModelError
  /** The delay that the endpoint requested, if any. */
  readonly waitMs: number | undefined
}

const attemptCompletion = (request: CompletionRequest): Promise<Completion | RetryableFailure> =>
  withAnySignal([request.signal], (signal, abort) => sendCompletion({ ...request, signal }, abort))

/** Sends the request once. `abort` aborts its signal. */
async function sendCompletion(
  { endpoint, body, onText, signal }: CompletionRequest & { readonly signal: AbortSignal },
  abort: () => void,
): Promise<Completion | RetryableFailure> {
  let hasTimedOut = false
  const timer = createTimer(endpoint.timeoutMs, () => {
    hasTimedOut = true
    abort()
  })
  let hasStarted = false
  try {
    const response = await fetch(`${endpoint.baseUrl}/chat/completions`, {
      method: 'POST',
      // A redirect could send the key to another host.
      redirect: 'manual',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        'user-agent': 'parley',
        ...traceHeaders(),
        ...(endpoint.key !== undefined && { authorization: `Bearer ${endpoint.key}` }),
      },
      body: stringifyJson({ model: endpoint.model, stream: true, ...body }),
    })
    timer.again()
    if (response.status !== 200) return await handleRefusal(response, endpoint)
    if (!/event-stream/i.test(response.headers.get('content-type') ?? '')) {
      const completion = parseCompletion(await response.text())
      if (completion.text !== '') onText?.(completion.text)
      return completion
    }
    const gathering = new CompletionBuilder()
    for await (const data of parseEvents(watchActivity(response, timer.again))) {
      const piece = gathering.add(data)
      hasStarted = true
      if (piece !== '') onText?.(piece)
      if (data === '[DONE]') break
    }
    if (!gathering.completion.isComplete)
      throw new ModelError(
        'The language model stopped before the end of its response.',
        'the stream ended before its end',
        !hasStarted,
      )
    return gathering.completion
  } catch (error) {
    if (error instanceof ModelError) throw error
    if (error instanceof InvalidCompletionError || error instanceof InvalidStreamError)
      throw new ModelError(
        error instanceof InvalidStreamError ? 'The language model returned an invalid response.' : error.message,
        error.message,
        !hasStarted,
      )
    if (hasTimedOut) {
      const seconds = Math.round(endpoint.timeoutMs / 100) / 10
      throw new ModelError(
        `The language model did not answer within ${seconds} seconds.`,
        `silent for ${seconds} s`,
        !hasStarted,
      )
    }
    const detail = describeCause(error)
    if (signal.aborted || hasStarted)
      throw new ModelError('The language model stopped before the end of its response.', detail, !hasStarted)
    return { failure: new ModelError('The language model could not be reached.', detail, true), waitMs: undefined }
  } finally {
    timer.stop()
    abort()
  }
}

async function* watchActivity(response: Response, again: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    again()
    yield chunk
  }
}

function createTimer(ms: number, end: () => void): { again(): void; stop(): void } {
  let timer = realTime.setTimeout(end, ms)
  return {
    again() {
      realTime.clearTimeout(timer)
      timer = realTime.setTimeout(end, ms)
    },
    stop: () => realTime.clearTimeout(timer),
  }
}

/**
 * Handles an error response. Busy endpoints are retried. The response text goes to the log only, and the chat gets the
 * status only.
 */
async function handleRefusal(response: Response, { key }: ModelEndpoint): Promise<RetryableFailure> {
  const { status, headers } = response
  const text = (await response.text().catch(() => '')).replace(/\s+/g, ' ').slice(0, maxLoggedLength)
  const detail = `answered ${status}: ${key ? text.replaceAll(key, '****') : text}`
  const failure = new ModelError(`The language model answered ${status}.`, detail, true)
  if (status !== 429 && status !== 408 && status < 500) throw failure
  return { failure, waitMs: retryAfter(headers.get('retry-after')) }
}

/** Parses a `Retry-After` header of seconds or a date. Returns milliseconds. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - realTime.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
