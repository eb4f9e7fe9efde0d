import { realTime } from './real-time.ts'
import { childTrace, currentTrace, isSampled, spanIdOf, type Trace, traceIdOf, withTrace } from './trace.ts'

/** Attributes of work. They are sent to other systems, so they never have a secret or a text that a person wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

/** How work relates to other servers: it answers a request, sends one, or neither. */
type SpanKind = 'server' | 'client' | 'internal'

/**
 * Work that has ended, as systems for traces show it. otlp-exporter.ts sends it to the system of the operator, who searches by
 * names and attributes.
 */
export interface Span {
  readonly traceId: string
  readonly id: string
  /** The work that caused it. */
  readonly parent: string | undefined
  readonly name: string
  readonly kind: SpanKind
  /** Time of the machine in milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: SpanAttributes
  readonly hasFailed: boolean
}

/** How work ended. */
interface SpanEnd {
  readonly name: string
  readonly attributes: SpanAttributes
  readonly hasFailed: boolean
}

/** Work in progress. */
interface StartedSpan {
  /** Its trace, for the work that it causes. */
  readonly trace: Trace
  end(end: SpanEnd): void
}

/** Runs work and records it. `describe` says how it ended; an error that it throws is a failure. */
export type MeasureWork = <T>(
  kind: SpanKind,
  work: () => Promise<T>,
  describe: (ended: { readonly result: T } | { readonly error: unknown }) => SpanEnd,
) => Promise<T>

/** Records work in traces. */
export interface Tracer {
  /** Starts work that `parent` caused, or that begins a trace. */
  start(kind: SpanKind, parent: Trace | undefined): StartedSpan
  /** Measures work that the current work causes. */
  readonly measure: MeasureWork
}

/** Creates a tracer that passes on what has ended, unless the caller that began its trace does not want it recorded. */
export function createTracer(add: (span: Span) => void): Tracer {
  const start: Tracer['start'] = (kind, parent) => {
    const trace = childTrace(parent)
    const startedAt = realTime.now()
    const since = realTime.monotonicMs()
    return {
      trace,
      end(end) {
        if (!isSampled(trace)) return
        add({
          ...end,
          traceId: traceIdOf(trace),
          id: spanIdOf(trace),
          parent: parent && spanIdOf(parent),
          kind,
          startedAt,
          endedAt: startedAt + realTime.monotonicMs() - since,
        })
      },
    }
  }
  return {
    start,
    async measure(kind, work, describe) {
      const span = start(kind, currentTrace())
      try {
        const result = await withTrace(span.trace, work)
        span.end(describe({ result }))
        return result
      } catch (error) {
        span.end(describe({ error }))
        throw error
      }
    },
  }
}
