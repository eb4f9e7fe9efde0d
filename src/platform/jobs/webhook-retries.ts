import { hour, type Micros, second } from '../../contract/values/micros.ts'

/** Delays after attempts 1, 2 and 3 of a delivery. After the fourth attempt it has failed. */
const retryDelays: readonly Micros[] = [30 * second, 60 * second, 120 * second]

/** Maximum attempts of a delivery. Rows of deliveries count down from it (`tries_left`), so a change applies to new ones only. */
export const maxDeliveryAttempts = retryDelays.length + 1

/** Maximum delay that a receiver may request. */
const maxRetryAfter: Micros = hour

/** Returns the delay before the next attempt with `attemptsLeft` left, or the requested delay if that is longer. */
export const retryDelay = (attemptsLeft: number, requestedDelay: Micros | undefined): Micros =>
  Math.max(
    retryDelays[maxDeliveryAttempts - 1 - attemptsLeft] ?? (retryDelays.at(-1) as Micros),
    Math.min(requestedDelay ?? 0, maxRetryAfter),
  )

/** Parses a `Retry-After` header: seconds, or a date relative to the wall time in milliseconds. */
export function parseRetryAfter(header: string | undefined, wall: number): Micros | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * second
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - wall) * 1000)
}
