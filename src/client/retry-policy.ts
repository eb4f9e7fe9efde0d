import type { Endpoint, Risk } from '../contract/mechanics/endpoint.ts'
import type { TransportReason } from './transport/transport.ts'

/** How one try ended: with an answer, or without. */
export type AttemptOutcome =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly retryAfter?: number }
  | { readonly reason: TransportReason; readonly sent: boolean; readonly isRefusal?: boolean }

/** What of an endpoint decides whether it may be asked again. */
export type RetriedEndpoint = Pick<Endpoint, 'risk' | 'limit' | 'isMessage'>

export interface RetryPolicy {
  /** Further tries after the first. */
  readonly retries: number
  /** First pause in milliseconds; each further one is twice as long. */
  readonly baseMs: number
  /** Longest pause of our own choosing. */
  readonly capMs: number
  /** A platform that wants to be left alone for longer than this is told to the user instead of waited for. */
  readonly maxWaitMs: number
  /** 0 to 1. */
  readonly random: () => number
  /** Whether the platform advertises that it honours `Idempotency-Key`: then a request that is repeated under its key is carried out once. */
  readonly isIdempotent?: boolean
}

export const defaultRetryPolicy = { retries: 3, baseMs: 250, capMs: 8000, maxWaitMs: 120_000 } as const

/**
 * How long to wait before try `attempt + 1`, or null when it must not or need not be made. `attempt` counts from 1.
 * A read is asked again whenever that may help. Anything else only when it certainly was not carried out:
 * the platform turned it away (429, see `isTurnedAway`), or the connection never opened.
 * A pace that the endpoint is known to keep is no failure: who has to wait their turn does so for as long as patience lasts.
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
    return !outcome.isRefusal && isWorthRetrying(outcome.reason, outcome.sent, endpoint.risk)
      ? backoff(attempt, policy)
      : null
  const again =
    outcome.status === 429
      ? !isClockFrozen(outcome.headers) && isCertainlyRejected(endpoint, outcome, policy.isIdempotent)
      : endpoint.risk === 'read' && outcome.status >= 502 && outcome.status <= 504
  if (!again) return null
  if (outcome.retryAfter === undefined) return backoff(attempt, policy)
  const requestedMs = outcome.retryAfter * 1000
  // Those who were turned away together come back one by one.
  return requestedMs > policy.maxWaitMs
    ? null
    : Math.max(requestedMs, policy.baseMs) + Math.round(windowMs * policy.random())
}

/**
 * Whether a 429 says for certain that nothing was carried out. Something in front of a platform may answer it to a spend that went through: of a
 * purchase or a call it says nothing, of a message only where it tells how long to wait. Where idempotency is advertised a repetition does no harm.
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

function isWorthRetrying(reason: TransportReason, sent: boolean, risk: Risk): boolean {
  // A certificate does not become trusted and a user does not take an interruption back.
  if (reason === 'tls' || reason === 'aborted') return false
  return risk === 'read' || !sent
}

/** Half fixed, half random, so that many processes that failed together do not come back together. */
function backoff(attempt: number, { baseMs, capMs, random }: RetryPolicy): number {
  const full = Math.min(capMs, baseMs * 2 ** (attempt - 1))
  return Math.round(full / 2 + (full / 2) * random())
}

/** A local platform whose clock stands still: no waiting makes its limits pass. */
export const isClockFrozen = (headers: Readonly<Record<string, string>>): boolean =>
  headers['parley-clock']?.toLowerCase() === 'frozen'

/** Seconds of a Retry-After header (seconds or an HTTP date), else of `retry_after` in the body; undefined when neither says. `now` in milliseconds. */
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
