import { type Micros, second } from '../../contract/values/micros.ts'

/** Maximum number of attempts of a step with `retryOnFailure`. Runs in progress meet a changed limit at their next step. */
export const maxAttempts = 4
/** Maximum delay before a retry that a server can request. */
export const maxDelay: Micros = 3600 * second
/** Maximum delay before a step of a test is retried. A test has two minutes. */
export const maxTestDelay: Micros = 30 * second
/** Maximum number of iterations of a loop. */
export const maxItems = 10_000
/** Maximum length of a step's output as JSON, in characters, and of all outputs of a run. */
export const maxOutput = 10_000_000
export const maxOutputs = 50_000_000
/**
 * Maximum length of a step's input as JSON, in characters, that is stored for display. Of a longer input only the
 * beginning is stored.
 */
export const maxInput = { length: 65_536, beginning: 8192 } as const
/** Maximum characters of the key of a stored value, and maximum bytes of the value as JSON. */
export const maxStored = { key: 128, bytes: 512 * 1024 } as const
/** Maximum number of lines a step may log, and of characters in each. */
export const maxLog = { lines: 100, length: 2000 } as const

/**
 * Returns the delay before the retry after failure number `n`: 4, 8 or 16 seconds plus up to 10%, or the delay that the
 * server requested, at most one hour.
 */
export function retryDelay(n: number, requestedDelay: Micros | undefined, random: number): Micros {
  const backoff = 4 * second * 2 ** (n - 1)
  return Math.round(Math.min(Math.max(backoff * (1 + random / 10), requestedDelay ?? 0), maxDelay))
}
