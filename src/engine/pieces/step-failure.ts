import type { Micros } from '../../contract/values/micros.ts'

/** Reason why a step failed, as test results and runs show it (section 2.10). Rows of steps have it. */
export type FailureClass = 'wiring_error' | 'missing_connection' | 'missing_record'

/** What the run does with a failure, apart from showing its message. */
export interface FailureDetails {
  readonly classification?: FailureClass
  /** Whether the reason may pass, such as a broken connection (default: false). */
  readonly isTemporary?: boolean
  /** False if the step itself says that it is not tried again (default: true). */
  readonly mayRetry?: boolean
  /** Delay before a retry that the server requested, in microseconds. */
  readonly retryAfter?: Micros | undefined
  /** When a step starts again that must not start yet. It does not count as a failed attempt. */
  readonly until?: Micros | undefined
  /** Output that later steps see if the step is allowed to fail. */
  readonly output?: unknown
}

/** Error that steps and ports throw when a step fails. The message is for users. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly classification: FailureClass
  readonly isTemporary: boolean
  readonly mayRetry: boolean
  readonly retryAfter: Micros | undefined
  readonly until: Micros | undefined
  readonly output: unknown

  constructor(
    message: string,
    {
      classification = 'wiring_error',
      isTemporary = false,
      mayRetry = true,
      retryAfter,
      until,
      output,
    }: FailureDetails = {},
  ) {
    super(message)
    this.classification = classification
    this.isTemporary = isTemporary
    this.mayRetry = mayRetry
    this.retryAfter = retryAfter
    this.until = until
    this.output = output
  }
}
