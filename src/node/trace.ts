import type { AsyncLocalStorage } from 'node:async_hooks'
import { crypto } from './crypto.ts'

/** The trace that work belongs to, in the form of a `traceparent` header (W3C Trace Context). */
export type Trace = string

let storage: AsyncLocalStorage<Trace | undefined> | undefined

/** Returns the trace of the current work, which follows asynchronous calls; undefined if it has none. */
export const currentTrace = (): Trace | undefined => storage?.getStore()

/** Returns the id of a trace. */
export const traceIdOf = (trace: Trace): string => trace.slice(3, 35)

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

/** Returns the headers of a request to another server, with its own id in the trace. */
export function traceHeaders(): { readonly traceparent?: string } {
  const trace = currentTrace()
  if (trace === undefined) return {}
  return { traceparent: `${trace.slice(0, 36)}${crypto().randomBytes(8).toString('hex')}${trace.slice(52)}` }
}
