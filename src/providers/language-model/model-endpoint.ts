import { type Completion, CompletionBuilder, InvalidCompletionError, parseCompletion } from './completion.ts'
import { InvalidStreamError, parseEvents } from './event-stream.ts'

/** Where a model is asked, and how. */
export interface ModelEndpoint {
  /** Base address, as `https://host/v1`: `/chat/completions` is added. */
  readonly baseUrl: string
  readonly key?: string | undefined
  /** Its name at the endpoint. */
  readonly model: string
  /** Some models take no temperature. */
  readonly takesTemperature: boolean
  /** Milliseconds it may be silent, before its first word and between two. */
  readonly timeoutMs: number
  /** Further tries where it is busy or cannot be reached. */
  readonly retries: number
}

/** No answer. `reason` is for whoever chats, `detail` for the operator's log. */
export class ModelError extends Error {
  override readonly name = 'ModelFailed'
  readonly detail: string
  /** Whether nothing came of it yet, so that somebody else may be asked. */
  readonly isUntouched: boolean

  constructor(reason: string, detail: string, isClean: boolean) {
    super(reason)
    this.detail = detail
    this.isUntouched = isClean
  }
}

export interface CompletionRequest {
  readonly endpoint: ModelEndpoint
  /** The body but for the model and `stream`. */
  readonly body: Readonly<Record<string, unknown>>
  readonly onText?: ((piece: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly sleep: (ms: number) => Promise<void>
}

/** Milliseconds: who is asked to wait longer gives up, since somebody waits for the answer. */
const maxRetryWaitMs = 10_000
/** Characters of an error that go to the log. */
const maxLoggedLength = 300

/** Asks a model once, and again where it is busy or cannot be reached; never again once it has begun to answer. @throws ModelFailed */
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
  /** What the other side asked for, if anything. */
  readonly waitMs: number | undefined
}

async function attemptCompletion({
  endpoint,
  body,
  onText,
  signal,
}: CompletionRequest): Promise<Completion | RetryableFailure> {
  const timeout = new AbortController()
  const timer = createTimer(endpoint.timeoutMs, () => timeout.abort())
  const signals = [timeout.signal, ...(signal ? [signal] : [])]
  let hasStarted = false
  try {
    const response = await fetch(`${endpoint.baseUrl}/chat/completions`, {
      method: 'POST',
      // A key goes to the address it was given for and nowhere else.
      redirect: 'manual',
      signal: AbortSignal.any(signals),
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        'user-agent': 'parley',
        ...(endpoint.key !== undefined && { authorization: `Bearer ${endpoint.key}` }),
      },
      body: JSON.stringify({ model: endpoint.model, stream: true, ...body }),
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
    if (timeout.signal.aborted) {
      const seconds = Math.round(endpoint.timeoutMs / 100) / 10
      throw new ModelError(
        `The language model did not answer within ${seconds} seconds.`,
        `silent for ${seconds} s`,
        !hasStarted,
      )
    }
    const detail = describeCause(error)
    if (signal?.aborted || hasStarted)
      throw new ModelError('The language model stopped before the end of its response.', detail, !hasStarted)
    return { failure: new ModelError('The language model could not be reached.', detail, true), waitMs: undefined }
  } finally {
    timer.stop()
    timeout.abort()
  }
}

async function* watchActivity(response: Response, again: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    again()
    yield chunk
  }
}

function createTimer(ms: number, end: () => void): { again(): void; stop(): void } {
  let timer = setTimeout(end, ms)
  return {
    again() {
      clearTimeout(timer)
      timer = setTimeout(end, ms)
    },
    stop: () => clearTimeout(timer),
  }
}

/** A refusal: tried again where the endpoint is busy. What it says stays in the log; whoever chats learns the status and nothing else. */
async function handleRefusal(response: Response, { key }: ModelEndpoint): Promise<RetryableFailure> {
  const { status, headers } = response
  const text = (await response.text().catch(() => '')).replace(/\s+/g, ' ').slice(0, maxLoggedLength)
  const detail = `answered ${status}: ${key ? text.replaceAll(key, '****') : text}`
  const failure = new ModelError(`The language model answered ${status}.`, detail, true)
  if (status !== 429 && status !== 408 && status < 500) throw failure
  return { failure, waitMs: retryAfter(headers.get('retry-after')) }
}

/** Milliseconds of a `Retry-After`, in seconds or as a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function describeCause(error: unknown): string {
  const { message, cause } = error as Error
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string }
  return [message, code ?? inner].filter(Boolean).join(': ')
}
