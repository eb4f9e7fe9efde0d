import type { PendingOperation, PendingOperations } from '../../../client/approvals/pending-operations.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { PlannedSteps } from '../../../contract/resources/approvals.ts'

/** Several requests that a command is about to send, for one decision. */
export interface PlannedCommand extends PlannedSteps {
  /** One sentence for the person. */
  readonly summary: string
  /** The most that they cost in USD: null if that is not known, absent if they spend nothing. */
  readonly maximumUsd?: number | null
  /** Returns whether this is what is left of an approved content, after a run of it was interrupted (default: never). */
  readonly isRest?: (approved: unknown) => boolean
}

/** How a command asks for the approval of a person outside of it. */
export interface ApprovalAccess {
  /** Returns whether what the command sends needs the approval of a person. */
  isRequired(): Promise<boolean>
  /**
   * Returns whether the approval of a person takes the place of a confirmation, so that nothing is asked and no flag is
   * needed. `summary` says what is about to be done, if the confirmation is about that, and `endpoint` what is called then
   * (default: the endpoint of the command). @throws ClientFailure exit 10 if a
   * person must run the command
   */
  replacesConfirmation(summary?: string, endpoint?: Endpoint): Promise<boolean>
  /**
   * Refuses to an agent what reaches systems that are not the platform, so that it cannot be stored for approval. Does nothing
   * where no approval is required, and for a person. @throws ClientFailure exit 10
   */
  requirePerson(text: string): Promise<void>
  /**
   * Asks for one approval of all requests that follow, before the first one is sent. Does nothing, and makes no plan, where none
   * is required.
   * @throws ClientFailure `approval_pending` (exit 10) after it was stored, `conflict` if it is not what was approved
   */
  requirePlan(makePlan: () => PlannedCommand | Promise<PlannedCommand>): Promise<void>
  /** For the context of another profile in the same command. */
  readonly origin: ApprovalOrigin
}

/** A command line that runs with an approval. */
export interface ApprovedRun {
  readonly operation: PendingOperation
  /** Where it is stored. */
  readonly pending: PendingOperations
  /** Set to true when something was no longer what was approved. */
  isChanged: boolean
  /** How often each request of the plan was sent in this run, by its number; of steps, by endpoint. */
  readonly used: Record<string, number>
  /** Whether the steps of the plan were compared in this run. */
  hasComparedSteps?: boolean
}

/**
 * Returns the idempotency key of a request of a plan, by its number in the plan. The platform and the journal know the request
 * by it after an interruption, so it never changes. Also of `parley ops run`.
 */
export const requestKey = (operationId: string, number: number): string => `${operationId}-${number}`

/** The command line that asks for approval, or runs with one. */
export interface ApprovalOrigin {
  /** The words after `parley`. A command that has chosen what it sends replaces them, so that it chooses the same again. */
  words: readonly string[]
  readonly approved?: ApprovedRun | undefined
  /** Returns the text that was read from standard input; undefined if it was too long to keep. */
  readonly readInput: () => string | undefined
  /** Whether the command has named everything that it sends, also if nothing of it needs approval. */
  hasPlan?: boolean
}
