import type { Micros } from '../../flow/pieces/ports.ts'

const second: Micros = 1_000_000

/** Attempts of a step that may be tried again. */
export const maxAttempts = 4
/** Attempts of a step that processes may break off by dying, one after another, before its run fails. */
export const maxStalls = 5
/** Processes that may die in a row before they begin a step of the run they took. Restarts do not fail a run; a run that prevents every start does. */
export const maxIdleStalls = 25
/** How long a run may be worked on, all its stretches together; waiting does not count. */
export const maxActiveTime: Micros = 600 * second
/** How long a run waits to be called back. */
export const callbackTimeout: Micros = 30 * 24 * 3600 * second
/** Turns of one loop. */
export const maxItems = 10_000
/** Characters of a step's output as JSON, and of all outputs of a run. */
export const maxOutput = 10_000_000
export const maxOutputs = 50_000_000
/** Characters of a step's input as JSON that are stored for people to read; of a larger one its beginning. */
export const maxInput = { length: 65_536, beginning: 8192 } as const
/** Lines a step may log, and characters of each. */
export const maxLog = { lines: 100, length: 2000 } as const
/** Runs that go on at once in a process; others wait for their turn. */
export const maxConcurrentRuns = 64
/** Milliseconds a process may be silent before its runs are taken from it, and between its signs of life. */
export const leaseMs = 30_000
export const heartbeatMs = 10_000

/** How long after its failure number `n` a step is tried again: 4, 8 and 16 seconds and up to a tenth more, or what the other side asked for, an hour at most. */
export function retryDelay(n: number, requestedDelay: Micros | undefined, random: number): Micros {
  const backoff = 4 * second * 2 ** (n - 1)
  return Math.round(Math.min(Math.max(backoff * (1 + random / 10), requestedDelay ?? 0), 3600 * second))
}
