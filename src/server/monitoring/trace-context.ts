import { crypto } from '../../node/crypto.ts'
import type { Trace } from '../../node/trace.ts'

/** Ids of a distributed trace (W3C Trace Context), from the header `traceparent` of a request. */
export interface TraceContext {
  readonly traceId: string
  /** The header, for the work that the request causes. */
  readonly parent: Trace
  /** Value of the response header `traceresponse`: the same trace, with an id for the work of this server. */
  readonly response: string
}

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** Parses a `traceparent` header. Returns undefined if it is missing or invalid, which the standard says to ignore. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, traceId, span, flags] = header === undefined ? [] : (traceparent.exec(header) ?? [])
  if (traceId === undefined) return undefined
  const response = `00-${traceId}-${crypto().randomBytes(8).toString('hex')}-${flags}`
  return { traceId, parent: `00-${traceId}-${span}-${flags}`, response }
}
