import type { ExitName } from '../../contract/errors/exit-codes.ts'

/** An invalid field of a request: its path and the platform's message. */
export interface FailureDetail {
  readonly path: string
  readonly message: string
}

/** The properties of a failure. error-report.ts prints the code, the message and most others as JSON, which scripts read. */
interface FailureParts {
  readonly exit: ExitName
  /** The failure's code in the response if it has one. Codes are stable, for scripts. */
  readonly code: string
  readonly message: string
  /** HTTP status, if there was a response. */
  readonly status?: number
  /** How to fix it: an imperative sentence. */
  readonly hint?: string
  readonly details?: readonly FailureDetail[]
  readonly requestId?: string
  /** Seconds after which the platform accepts another request. */
  readonly retryAfter?: number
  /** Commands to run next. */
  readonly next?: readonly string[]
  /** Id of the operation that waits for a person's approval. */
  readonly operation?: string
  /** Whether the request may have reached the platform; absent when no request was made. */
  readonly sent?: boolean
  readonly cause?: unknown
}

/** The only error that callers of the client have to handle. */
export class ClientFailure extends Error {
  readonly exit: ExitName
  readonly code: string
  readonly status?: number
  readonly hint?: string
  readonly details: readonly FailureDetail[]
  readonly requestId?: string
  readonly retryAfter?: number
  readonly next?: readonly string[]
  readonly operation?: string
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
    if (parts.operation !== undefined) this.operation = parts.operation
    if (parts.sent !== undefined) this.sent = parts.sent
  }
}

/** Returns a failure from before any request was sent: exit `usage` (2). */
export const usageFailure = (code: string, message: string, hint?: string): ClientFailure =>
  new ClientFailure({ exit: 'usage', code, message, ...(hint !== undefined && { hint }) })

/**
 * Returns whether a failure is about the idempotency key of a request, so that it does not say whether an earlier request with the key
 * was carried out. Codes of the contract that begin so are such failures (contract/errors/failures.ts).
 */
export const isAboutKey = ({ code }: Pick<ClientFailure, 'code'>): boolean => code.startsWith('idempotency_')

/** Commands to run when the outcome of a billable operation is unknown. */
export const reconcileCommands = ['parley ops list', 'parley ops reconcile'] as const

/**
 * Returns the journal's outcome of a failed billable operation. `cancelled` means that the user stopped it before it was
 * sent. A journal line has the word. After `unknown`, the same operation is refused until its outcome is known; after the
 * others it can be sent again.
 */
export function billableOutcome(error: unknown): 'unknown' | 'refused' | 'cancelled' {
  if (!(error instanceof ClientFailure) || error.exit === 'unknown') return 'unknown'
  if (error.exit !== 'interrupted') return 'refused'
  return error.sent === true ? 'unknown' : 'cancelled'
}
