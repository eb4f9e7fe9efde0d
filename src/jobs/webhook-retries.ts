import { hour, type Micros, second } from './clock.ts'

/** How long after its attempt 1, 2 and 3 a delivery is tried again; after the fourth it has failed. */
const retryDelays: readonly Micros[] = [30 * second, 60 * second, 120 * second]

/** Attempts of a delivery. */
export const maxDeliveryAttempts = retryDelays.length + 1

/** The longest time a receiver may ask to be left alone. */
const maxRetryAfter: Micros = hour

/** How long to wait before the next attempt when `left` are left, or as long as the receiver asked for, whichever is longer. */
export const retryDelay = (attemptsLeft: number, requestedDelay: Micros | undefined): Micros =>
  Math.max(
    retryDelays[maxDeliveryAttempts - 1 - attemptsLeft] ?? (retryDelays.at(-1) as Micros),
    Math.min(requestedDelay ?? 0, maxRetryAfter),
  )

/** What a `Retry-After` header asks for: seconds, or a date by wall time in milliseconds. */
export function parseRetryAfter(header: string | undefined, wall: number): Micros | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * second
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - wall) * 1000)
}
