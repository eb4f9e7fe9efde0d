import type { AsyncLocalStorage } from 'node:async_hooks'
import { crypto } from './crypto.ts'

/**
 * The trace that work belongs to, with the id of the work, in the form of a `traceparent` header (W3C Trace Context). Rows of
 * jobs and deliveries have it, and the functions below cut it by position: the form never changes.
 */
export type Trace = string

let storage: AsyncLocalStorage<Trace | undefined> | undefined

const randomHex = (bytes: number): string => crypto().randomBytes(bytes).toString('hex')

/** Returns the trace of the current work, which follows asynchronous calls; undefined if it has none. */
export const currentTrace = (): Trace | undefined => storage?.getStore()

/** Returns the id of a trace. */
export const traceIdOf = (trace: Trace): string => trace.slice(3, 35)

/** Returns the id of the work in a trace. */
export const spanIdOf = (trace: Trace): string => trace.slice(36, 52)

/** Returns whether the caller that began a trace wants it to be recorded. */
export const isSampled = (trace: Trace): boolean => (Number.parseInt(trace.slice(53, 55), 16) & 1) === 1

/** Returns the trace of work that another work causes: the same trace with an id of its own, or a new trace. */
export const childTrace = (parent: Trace | undefined): Trace =>
  parent === undefined
    ? `00-${randomHex(16)}-${randomHex(8)}-01`
    : `${parent.slice(0, 36)}${randomHex(8)}${parent.slice(52)}`

/**
 * Runs work in a trace, or in none. Nothing is tracked before the first trace: tracking slows down all asynchronous
 * calls of a process.
 */
export function withTrace<T>(trace: Trace | null | undefined, work: () => T): T {
  if (!trace && !storage) return work()
  if (!storage) {
    const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks')
    storage = new AsyncLocalStorage()
  }
  return storage.run(trace ?? undefined, work)
}

/** Returns the function in the trace of the caller, for a queue that calls it later. */
export function keepTrace<A extends unknown[], T>(body: (...values: A) => T): (...values: A) => T {
  if (!storage) return body
  const trace = currentTrace()
  return (...values) => withTrace(trace, () => body(...values))
}

/** Returns the headers of a request to another server, which continues the trace of the current work. */
export function traceHeaders(): { readonly traceparent?: string } {
  const trace = currentTrace()
  return trace === undefined ? {} : { traceparent: trace }
}
