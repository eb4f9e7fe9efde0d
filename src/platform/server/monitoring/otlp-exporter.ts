import { Agent as HttpAgent, type IncomingMessage, request as openHttp } from 'node:http'
import { Agent as HttpsAgent, request as openHttps } from 'node:https'
import { crypto } from '../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import { createTracer, type Span, type SpanAttributes, type Tracer } from '../../../node/spans.ts'

/** Where traces are sent to. */
export interface OtlpSettings {
  /** URL of the receiver, without `/v1/traces`. */
  readonly endpoint: string
  /** Headers of each request, such as a key of the receiver. */
  readonly headers: Readonly<Record<string, string>>
  /** Name of this service in the traces. */
  readonly service: string
}

/** Sends traces to a receiver in OTLP over HTTP, as JSON. */
export interface SpanExporter {
  readonly tracer: Tracer
  /** Sends what is left, at most for this time; the rest is dropped. */
  close(limitMs: number): Promise<void>
}

interface ExporterOptions extends OtlpSettings {
  readonly version: string
  /** Counts spans that were sent, or dropped because the receiver does not take them. */
  readonly count: (outcome: 'exported' | 'dropped', spans: number) => void
  readonly log: (text: string) => void
}

/** Spans that wait. Later ones are dropped, so that a receiver that is gone costs no more memory. */
const maxQueued = 4096
/** Spans of a request, and milliseconds after which fewer are sent. */
const maxBatch = 512
const batchDelayMs = 2000
const timeoutMs = 10_000
/** Milliseconds before the next attempt at a receiver that does not answer: the first time, and at most. */
const firstRetryMs = 1000
const maxRetryMs = 30_000
/** Statuses that the protocol says to repeat; after the others the same request would be refused again. */
const retryStatuses: readonly (number | undefined)[] = [429, 502, 503, 504]

/** What a receiver did with a batch. */
type Answer =
  | { readonly kind: 'taken'; readonly rejected: number }
  | { readonly kind: 'later' | 'refused'; readonly why: string }

/** Creates an exporter. Work is only added to a queue; a timer sends it. */
export function createOtlpExporter({ endpoint, headers, service, version, count, log }: ExporterOptions): SpanExporter {
  const url = new URL(`${endpoint.replace(/\/+$/, '')}/v1/traces`)
  const [Agent, request] = url.protocol === 'https:' ? [HttpsAgent, openHttps] : ([HttpAgent, openHttp] as const)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const instance = crypto().randomUUID()
  const stop = new AbortController()
  let queue: Span[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let retryMs = 0
  let isClosing = false
  /** Whether the log says that the receiver takes nothing. */
  let isReported = false

  function add(span: Span): void {
    if (stop.signal.aborted || queue.length >= maxQueued) return count('dropped', 1)
    queue.push(span)
    if (queue.length === 1 || queue.length === maxBatch) plan()
  }

  function plan(): void {
    if (sending || isClosing) return
    realTime.clearTimeout(timer)
    const ms = retryMs > 0 ? retryMs : queue.length >= maxBatch ? 0 : batchDelayMs
    timer = realTime.setTimeout(() => void sendBatch(), ms)
    timer.unref()
  }

  function sendBatch(): Promise<void> {
    const batch = queue.slice(0, maxBatch)
    sending = post(encode(batch)).then((answer) => {
      sending = undefined
      if (answer.kind === 'later') retryMs = Math.min(maxRetryMs, retryMs === 0 ? firstRetryMs : retryMs * 2)
      else {
        queue.splice(0, batch.length)
        retryMs = 0
        const rejected = answer.kind === 'taken' ? Math.min(answer.rejected, batch.length) : batch.length
        count('exported', batch.length - rejected)
        count('dropped', rejected)
      }
      report(answer)
      if (queue.length > 0) plan()
    })
    return sending
  }

  /** Logs once that the receiver takes nothing, and once that it does again. */
  function report(answer: Answer): void {
    const isFailing = answer.kind !== 'taken'
    if (isFailing === isReported) return
    isReported = isFailing
    if (isFailing)
      log(
        `Traces cannot be exported to ${url.origin}: ${answer.why}. They are dropped until it works, and counted in parley_trace_spans_total.`,
      )
    else log(`Traces are exported to ${url.origin} again.`)
  }

  function post(body: string): Promise<Answer> {
    return new Promise((resolve) => {
      const fail = ({ message, code }: NodeJS.ErrnoException): void =>
        resolve({ kind: 'later', why: message || String(code) })
      const outgoing = request(
        url,
        {
          agent,
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': `parley/${version}`,
          },
          signal: stop.signal,
        },
        (response) => {
          readText(response).then((text) => resolve(toAnswer(response.statusCode, text)), fail)
        },
      )
      const limit = realTime.setTimeout(
        () => outgoing.destroy(new Error(`no answer after ${timeoutMs / 1000} s`)),
        timeoutMs,
      )
      limit.unref()
      outgoing.once('close', () => realTime.clearTimeout(limit))
      outgoing.once('error', fail)
      outgoing.end(body)
    })
  }

  const encode = (spans: readonly Span[]): string =>
    stringifyJson({
      resourceSpans: [
        {
          resource: {
            attributes: toAttributes({
              'service.name': service,
              'service.version': version,
              'service.instance.id': instance,
            }),
          },
          scopeSpans: [{ scope: { name: 'parley', version }, spans: spans.map(toOtlp) }],
        },
      ],
    })

  return {
    tracer: createTracer(add),
    async close(limitMs) {
      isClosing = true
      realTime.clearTimeout(timer)
      const limit = realTime.setTimeout(() => stop.abort(), limitMs)
      await sending
      // A receiver that takes nothing gets one more attempt.
      do if (queue.length > 0) await sendBatch()
      while (queue.length > 0 && retryMs === 0 && !stop.signal.aborted)
      realTime.clearTimeout(limit)
      stop.abort()
      if (queue.length > 0) {
        count('dropped', queue.length)
        log(`Traces that were not exported before the server stopped: ${queue.length} spans.`)
      }
      queue = []
      agent.destroy()
    },
  }
}

/** Reads the start of an answer. A receiver may answer with any text. */
async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) if (text.length < 10_000) text += chunk
  return text
}

function toAnswer(status: number | undefined, text: string): Answer {
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedSpans(text) }
  return { kind: retryStatuses.includes(status) ? 'later' : 'refused', why: `status ${status}` }
}

/** Returns how many spans the receiver says that it rejected. */
function rejectedSpans(text: string): number {
  try {
    const answer: { partialSuccess?: { rejectedSpans?: unknown } } | null = parseJson(text)
    return Number(answer?.partialSuccess?.rejectedSpans ?? 0) || 0
  } catch {
    return 0
  }
}

/** Numbers of the protocol. */
const kinds: Readonly<Record<Span['kind'], number>> = { internal: 1, server: 2, client: 3 }
const failedStatus = 2

/** Returns a time as the protocol has it: nanoseconds since 1970, in digits. */
const toNanos = (ms: number): string => `${BigInt(Math.round(ms * 1000)) * 1000n}`

const toOtlp = ({ traceId, id, parent, name, kind, startedAt, endedAt, attributes, hasFailed }: Span) => ({
  traceId,
  spanId: id,
  ...(parent !== undefined && { parentSpanId: parent }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: toNanos(startedAt),
  endTimeUnixNano: toNanos(endedAt),
  attributes: toAttributes(attributes),
  ...(hasFailed && { status: { code: failedStatus } }),
})

const toAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
  )
