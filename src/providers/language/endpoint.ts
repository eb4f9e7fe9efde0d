import { type Completion, CompletionBroken, Gathering, wholeCompletion } from './completion.ts'
import { eventsOf, StreamBroken } from './event-stream.ts'

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
export class ModelFailed extends Error {
  override readonly name = 'ModelFailed'
  readonly detail: string
  /** Whether nothing came of it yet, so that somebody else may be asked. */
  readonly isClean: boolean

  constructor(reason: string, detail: string, isClean: boolean) {
    super(reason)
    this.detail = detail
    this.isClean = isClean
  }
}

export interface Asking {
  readonly endpoint: ModelEndpoint
  /** The body but for the model and `stream`. */
  readonly body: Readonly<Record<string, unknown>>
  readonly onText?: ((piece: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly sleep: (ms: number) => Promise<void>
}

/** Milliseconds: who is asked to wait longer gives up, since somebody waits for the answer. */
const longestWait = 10_000
/** Characters of an error that go to the log. */
const shown = 300

/** Asks a model once, and again where it is busy or cannot be reached; never again once it has begun to answer. @throws ModelFailed */
export async function complete(asking: Asking): Promise<Completion> {
  for (let attempt = 1; ; attempt++) {
    const tried = await once(asking)
    if (!('waitMs' in tried)) return tried
    const pause = tried.waitMs ?? Math.min(longestWait, 500 * 2 ** (attempt - 1))
    if (attempt > asking.endpoint.retries || pause > longestWait) throw tried.failure
    await asking.sleep(pause)
  }
}

interface Again {
  readonly failure: ModelFailed
  /** What the other side asked for, if anything. */
  readonly waitMs: number | undefined
}

async function once({ endpoint, body, onText, signal }: Asking): Promise<Completion | Again> {
  const silence = new AbortController()
  const watch = timerFor(endpoint.timeoutMs, () => silence.abort())
  const signals = [silence.signal, ...(signal ? [signal] : [])]
  let begun = false
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
    watch.again()
    if (response.status !== 200) return await refused(response, endpoint)
    if (!/event-stream/i.test(response.headers.get('content-type') ?? '')) {
      const whole = wholeCompletion(await response.text())
      if (whole.text !== '') onText?.(whole.text)
      return whole
    }
    const gathering = new Gathering()
    for await (const data of eventsOf(watched(response, watch.again))) {
      const piece = gathering.add(data)
      begun = true
      if (piece !== '') onText?.(piece)
      if (data === '[DONE]') break
    }
    if (!gathering.completion.isWhole) throw new ModelFailed('The language model broke off.', 'the stream ended before its end', !begun)
    return gathering.completion
  } catch (error) {
    if (error instanceof ModelFailed) throw error
    if (error instanceof CompletionBroken || error instanceof StreamBroken)
      throw new ModelFailed(error instanceof StreamBroken ? "The language model's answer cannot be read." : error.message, error.message, !begun)
    if (silence.signal.aborted) {
      const seconds = Math.round(endpoint.timeoutMs / 100) / 10
      throw new ModelFailed(`The language model did not answer within ${seconds} seconds.`, `silent for ${seconds} s`, !begun)
    }
    const detail = causeOf(error)
    if (signal?.aborted || begun) throw new ModelFailed('The language model broke off.', detail, !begun)
    return { failure: new ModelFailed('The language model cannot be reached.', detail, true), waitMs: undefined }
  } finally {
    watch.stop()
    silence.abort()
  }
}

async function* watched(response: Response, again: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    again()
    yield chunk
  }
}

function timerFor(ms: number, end: () => void): { again(): void; stop(): void } {
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
async function refused(response: Response, { key }: ModelEndpoint): Promise<Again> {
  const { status, headers } = response
  const said = (await response.text().catch(() => '')).replace(/\s+/g, ' ').slice(0, shown)
  const detail = `answered ${status}: ${key ? said.replaceAll(key, '****') : said}`
  const failure = new ModelFailed(`The language model answered ${status}.`, detail, true)
  if (status !== 429 && status !== 408 && status < 500) throw failure
  return { failure, waitMs: retryAfter(headers.get('retry-after')) }
}

/** Milliseconds of a `Retry-After`, in seconds or as a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string }
  return [message, code ?? inner].filter(Boolean).join(': ')
}
