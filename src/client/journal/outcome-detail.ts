import { replayedHeader } from '../../contract/endpoint/headers.ts'
import { waitingOf } from '../../contract/values/waiting-answer.ts'
import type { Reply } from '../client.ts'
import type { JournalEntry } from './open-operations.ts'

/**
 * Detail of an operation that was done, for the journal. profile-budget.ts, reservations.ts and operation-view.ts read
 * `costUsd` and `waitingId` in stored lines, and open-operations.ts `replayed`: fields are added, not renamed.
 */
interface OutcomeDetail {
  readonly status: number
  readonly requestId: string
  /** What it cost in USD, if the platform reports it. */
  readonly costUsd?: number
  /** The platform answered with the response to an earlier request: this one did nothing and cost nothing. */
  readonly replayed?: true
  /** Id of what waits for the contact hours: nothing was sent or charged yet. */
  readonly waitingId?: number
}

const replays = new WeakSet<object>()

/** Returns whether a response is the one to an earlier request with the same idempotency key. */
export const hasReplayHeader = ({ headers }: Pick<Reply<unknown>, 'headers'>): boolean =>
  headers[replayedHeader] !== undefined

/** Remembers the output of a replayed response. */
export function rememberReplay(output: unknown): void {
  if (typeof output === 'object' && output !== null) replays.add(output)
}

/**
 * Returns whether the output of a billable operation is that of an earlier request, so that nothing was done. It is known by
 * the object itself: pass the output, not a copy of it.
 */
export const isReplay = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && replays.has(output)

/** Returns the detail of an operation from its response. */
export function toOutcomeDetail({
  status,
  requestId,
  output,
}: Pick<Reply<unknown>, 'status' | 'requestId' | 'output'>): OutcomeDetail {
  if (isReplay(output)) return { status, requestId, costUsd: 0, replayed: true }
  const cost = costOf(output)
  return { status, requestId, ...(cost !== undefined && { costUsd: cost }), ...waitingDetail(output) }
}

/** Returns what the detail of an operation says of an answer that it waits; nothing for any other answer. */
export function waitingDetail(output: unknown): Pick<OutcomeDetail, 'waitingId'> {
  const waiting = waitingOf(output)
  return waiting ? { waitingId: waiting.id } : {}
}

/** Returns the id of what waits for the contact hours, or did, if that is how an operation was answered. */
export function waitingIdOf({ state, detail }: Pick<JournalEntry, 'state' | 'detail'>): number | undefined {
  const { waitingId } = (detail ?? {}) as { readonly waitingId?: unknown }
  return state === 'done' && typeof waitingId === 'number' ? waitingId : undefined
}

/** Returns the cost in USD that the response to a billable operation reports. */
export function costOf(output: unknown): number | undefined {
  const { data = output } = (output ?? {}) as { readonly data?: unknown }
  const cost = Number((data as { readonly total_cost?: unknown } | null)?.total_cost ?? Number.NaN)
  return Number.isFinite(cost) ? cost : undefined
}
