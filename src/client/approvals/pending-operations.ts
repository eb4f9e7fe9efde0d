import type {
  Approval,
  ApprovalState,
  Plan,
  PlanHeading,
  RequestOutcome,
  RunEnd,
} from '../../contract/resources/approvals.ts'
import { ClientFailure } from '../failures/client-failure.ts'
import { commandLine } from '../requests/shell-quote.ts'

/**
 * State of a pending operation. `damaged` is a plan or decision in the journal that was edited. `ops` prints the words, and
 * codes such as `approval_expired` end with them: scripts read both, so they are not renamed.
 */
export type PendingState = ApprovalState | 'damaged'

/** An operation that waits for a decision, or that was decided, in a list. */
export interface ListedOperation {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly expiresAt: string
  /** The coding agent that asked; null if it was not one. */
  readonly askedBy: string | null
  readonly plan: PlanHeading
  readonly state: PendingState
  readonly decidedAt: string | null
  readonly reason: string | null
  /** The last outcome of each request that was sent, by its number in the plan. */
  readonly outcomes: Approval['outcomes']
}

/** A pending operation with its whole plan. */
export interface PendingOperation extends ListedOperation {
  readonly plan: Plan
}

/** Where pending operations are stored: in the journal of this machine, or on a Parley server. */
export interface PendingOperations {
  readonly place: 'journal' | 'server'
  /** Stores a plan, or returns the operation with the same plan that still waits or is approved. It is stored then. */
  submit(plan: Plan, askedBy: string | null): Promise<PendingOperation>
  /** Returns all, newest first. */
  list(): Promise<ListedOperation[]>
  /** @throws ClientFailure `not_found` */
  read(id: string): Promise<PendingOperation>
  /**
   * Approves or declines an operation that was read before. The first decision counts. `key` has the scope `approve`, which
   * a server requires. @throws ClientFailure `conflict` unless it waits with the same plan
   */
  decide(
    shown: Pick<PendingOperation, 'id' | 'plan'>,
    decision: { readonly isApproved: boolean; readonly reason: string | null; readonly key?: string | undefined },
  ): Promise<void>
  /** Claims an approved operation for this process. @throws ClientFailure `conflict` unless it may run */
  start(id: string): Promise<PendingOperation>
  /** Records that a request of a plan is sent, or its outcome. `number` is its position; -1 for one of several steps. */
  recordRequest(id: string, number: number, outcome: RequestOutcome): Promise<void>
  end(id: string, end: RunEnd): Promise<void>
}

/** Why an action is not possible. A platform has sentences for its own refusals (services/runtime/approvals.ts). */
const reasons: Readonly<Record<PendingState, string>> = {
  pending: 'it was not approved yet',
  approved: 'it was approved already',
  declined: 'it was declined',
  expired: 'it has expired',
  running: 'another process is running it',
  interrupted: 'it was started already',
  done: 'it was carried out already',
  changed: 'what it would have done has changed since it was approved',
  damaged: 'it was edited after it was stored',
}

/** Returns the failure of an operation whose state does not allow an action: exit `conflict`, or `consent` if it waits. */
export function notPossible(
  { id, state, plan }: ListedOperation,
  action: string,
  place: PendingOperations['place'],
): ClientFailure {
  const short = id.slice(0, 8)
  if (state === 'pending' && action === 'run') return approvalPending({ id, plan }, place)
  return new ClientFailure({
    exit: 'conflict',
    code: `approval_${state}`,
    message: `Operation ${short} cannot be ${action}: ${reasons[state]}. Nothing was sent.`,
    hint: ['expired', 'changed', 'declined', 'damaged'].includes(state)
      ? `To ask again, run the command again: ${commandLine(plan.command)}`
      : `Show it: parley ops get ${short}.`,
    sent: false,
  })
}

/**
 * Returns the failure of an operation that waits for approval: exit `consent`. Scripts and coding agents read its code and
 * its `operation`, and run the commands of `next`.
 */
export function approvalPending(
  { id, plan }: Pick<ListedOperation, 'id' | 'plan'>,
  place: PendingOperations['place'],
): ClientFailure {
  const short = id.slice(0, 8)
  return new ClientFailure({
    exit: 'consent',
    code: 'approval_pending',
    message: `${plan.summary}\nA person must approve this. It waits as operation ${short}. Nothing was sent.`,
    hint: `Ask a person to decide on a terminal: parley ops approve ${short}${place === 'server' ? ', or on the page Approvals of the inspector of the server' : ''}. Then: parley ops run ${short}.`,
    sent: false,
    next: [`parley ops wait ${short}`, `parley ops run ${short}`],
    operation: id,
  })
}
