import type { Endpoint, Risk } from '../contract/endpoint/endpoint.ts'
import { clockFrozen, clockHeader } from '../contract/endpoint/headers.ts'
import type { TransportReason } from './transport/transport.ts'

/** The outcome of one attempt: a response, or an error. */
export type AttemptOutcome =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly retryAfter?: number }
  | { readonly reason: TransportReason; readonly sent: boolean; readonly isRefusal?: boolean }

/** The properties of an endpoint that decide whether it may be retried. */
type RetriedEndpoint = Pick<Endpoint, 'risk' | 'limit' | 'isMessage'>

/** When and how often requests are retried. */
export interface RetryPolicy {
  /** Maximum retries after the first attempt. */
  readonly retries: number
  /** First delay in milliseconds. Each further one is twice as long. */
  readonly baseMs: number
  /** Longest delay in milliseconds that the client chooses. */
  readonly capMs: number
  /** If the platform requests a longer delay in milliseconds, the call fails instead of waiting. */
  readonly maxWaitMs: number
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
  /**
   * Whether the platform advertises that it honors `Idempotency-Key`. A repeated request under the same key is then
   * carried out once.
   */
  readonly isIdempotent?: boolean
  /** Whether a write may be sent again after it got no answer, because it is carried out once. */
  readonly repeatsUnanswered?: boolean
}

/** The default retry policy. */
export const defaultRetryPolicy = { retries: 3, baseMs: 250, capMs: 8000, maxWaitMs: 120_000 } as const

/**
 * Returns the delay in milliseconds before attempt `attempt + 1`, or null when there must be no retry. `attempt` counts
 * from 1. A read is retried whenever that may help. Other requests are retried if they were certainly not carried
 * out: the platform rejected them (429, see `isCertainlyRejected`), or the connection was never opened; and without an
 * answer if repeating does no harm (`repeatsUnanswered`). Waiting for a
 * known rate limit of the endpoint does not count against the retries, but it is limited by `maxWaitMs`.
 */
export function retryDelayMs(
  attempt: number,
  outcome: AttemptOutcome,
  endpoint: RetriedEndpoint,
  policy: RetryPolicy,
): number | null {
  const windowMs =
    'status' in outcome && outcome.status === 429 && policy.retries > 0 ? (endpoint.limit?.seconds ?? 0) * 1000 : 0
  if (attempt > (windowMs > 0 ? Math.max(policy.retries, policy.maxWaitMs / windowMs) : policy.retries)) return null
  if ('reason' in outcome)
    return !outcome.isRefusal &&
      isWorthRetrying(outcome.reason, outcome.sent && policy.repeatsUnanswered !== true, endpoint.risk)
      ? backoff(attempt, policy)
      : null
  const again =
    outcome.status === 429
      ? !isClockFrozen(outcome.headers) && isCertainlyRejected(endpoint, outcome, policy.isIdempotent)
      : endpoint.risk === 'read' && outcome.status >= 502 && outcome.status <= 504
  if (!again) return null
  if (outcome.retryAfter === undefined) return backoff(attempt, policy)
  const requestedMs = outcome.retryAfter * 1000
  // Random delays spread requests that were rejected together.
  return requestedMs > policy.maxWaitMs
    ? null
    : Math.max(requestedMs, policy.baseMs) + Math.round(windowMs * policy.random())
}

/**
 * Returns whether a 429 proves that nothing was carried out. A proxy may return it for a billable operation that succeeded.
 * For a purchase or a call it proves nothing; for a message only with rate limit headers or a delay. With idempotency, a
 * repetition does no harm. A wrong `true` sends a paid request twice.
 */
export function isCertainlyRejected(
  { risk, isMessage }: RetriedEndpoint,
  {
    headers,
    retryAfter,
  }: { readonly headers: Readonly<Record<string, string>>; readonly retryAfter?: number | undefined },
  isIdempotent = false,
): boolean {
  if (risk !== 'spends' || isIdempotent) return true
  return (
    isMessage === true &&
    (retryAfter !== undefined ||
      Object.keys(headers).some((it) => it === 'retry-after' || it.startsWith('x-ratelimit-')))
  )
}

/**
 * Returns whether a write that is carried out twice has another effect than once: a creation, or something outside.
 * A 429 does not prove that such a write was not carried out, because a proxy may return it after the platform accepted
 * the request. It is repeated only with idempotency, or after a search that finds nothing. Billable operations have
 * their own rule, see `isCertainlyRejected`.
 */
export function mayRunTwice({ method, risk, auth, isRepeatable }: Endpoint, input: unknown): boolean {
  if (risk === 'read' || risk === 'spends' || auth === 'control') return false
  if (typeof isRepeatable === 'function') return !isRepeatable(input as Readonly<Record<string, unknown>>)
  return !(isRepeatable ?? (method !== 'POST' && risk !== 'outside'))
}

function isWorthRetrying(reason: TransportReason, sent: boolean, risk: Risk): boolean {
  // Certificate errors are permanent, and an interruption is the user's decision.
  if (reason === 'tls' || reason === 'aborted') return false
  return risk === 'read' || !sent
}

/** Returns whether an endpoint is a write of the API, to which an idempotency key applies. */
export const takesIdempotencyKey = ({ risk, auth }: Endpoint): boolean => risk !== 'read' && auth !== 'control'

/** Returns a delay that is half fixed and half random, so that processes that failed together do not retry together. */
export function backoff(attempt: number, { baseMs, capMs, random }: RetryPolicy): number {
  const full = Math.min(capMs, baseMs * 2 ** (attempt - 1))
  return Math.round(full / 2 + (full / 2) * random())
}

/** Returns whether the clock of a local platform is frozen, so that waiting does not help. */
export const isClockFrozen = (headers: Readonly<Record<string, string>>): boolean =>
  headers[clockHeader]?.toLowerCase() === clockFrozen

/**
 * Returns the seconds of a Retry-After header (seconds or an HTTP date), else of `retry_after` in the body; undefined
 * without either. `now` is in milliseconds.
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  body: unknown,
  now: number,
): number | undefined {
  const text = headers['retry-after']?.trim()
  if (text) {
    if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
    const date = Date.parse(text)
    if (!Number.isNaN(date)) return Math.max(0, Math.ceil((date - now) / 1000))
  }
  const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>).retry_after : undefined
  const seconds = typeof said === 'string' && said.trim() !== '' ? Number(said) : said
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}
