import type { ExitName } from '../../contract/errors/exit-codes.ts'

/** One thing that is wrong with what was sent: the field's path and what the platform says about it. */
export interface FailureDetail {
  readonly path: string
  readonly message: string
}

export interface FailureParts {
  readonly exit: ExitName
  /** The failure's code on the wire where it has one; stable, for scripts. */
  readonly code: string
  readonly message: string
  /** HTTP status, when there was an answer. */
  readonly status?: number
  /** What to do about it: an imperative sentence. */
  readonly hint?: string
  readonly details?: readonly FailureDetail[]
  readonly requestId?: string
  /** Seconds after which the platform wants to be asked again. */
  readonly retryAfter?: number
  /** Commands that lead on from here. */
  readonly next?: readonly string[]
  /** Whether the request may have reached the platform; absent when it never got as far as a request. */
  readonly sent?: boolean
  readonly cause?: unknown
}

/** The one error a caller of the client has to know: everything that can go wrong between an input and an answer. */
export class ClientFailure extends Error {
  readonly exit: ExitName
  readonly code: string
  readonly status?: number
  readonly hint?: string
  readonly details: readonly FailureDetail[]
  readonly requestId?: string
  readonly retryAfter?: number
  readonly next?: readonly string[]
  readonly sent?: boolean

  constructor(parts: FailureParts) {
    super(parts.message, { cause: parts.cause })
    this.name = 'ClientFailure'
    this.exit = parts.exit
    this.code = parts.code
    this.details = parts.details ?? []
    if (parts.status !== undefined) this.status = parts.status
    if (parts.hint !== undefined) this.hint = parts.hint
    if (parts.requestId !== undefined) this.requestId = parts.requestId
    if (parts.retryAfter !== undefined) this.retryAfter = parts.retryAfter
    if (parts.next !== undefined) this.next = parts.next
    if (parts.sent !== undefined) this.sent = parts.sent
  }
}

/** A refusal before any request left: exit 2. */
export const usageFailure = (code: string, message: string, hint?: string): ClientFailure =>
  new ClientFailure({ exit: 'usage', code, message, ...(hint !== undefined && { hint }) })

/** What to run when nobody can say whether a spend happened. */
export const reconcileCommands = ['parley ops list', 'parley ops reconcile'] as const

/** What a spend that failed is written down as in the journal; `cancelled` was stopped by the user before it left. */
export function billableOutcome(error: unknown): 'unknown' | 'refused' | 'cancelled' {
  if (!(error instanceof ClientFailure) || error.exit === 'unknown') return 'unknown'
  if (error.exit !== 'interrupted') return 'refused'
  return error.sent === true ? 'unknown' : 'cancelled'
}
