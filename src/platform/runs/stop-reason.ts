import type { Micros } from '../../contract/values/micros.ts'
import type { FailureClass } from '../../engine/pieces/step-failure.ts'

/** Reason why a run stops for now. */
export type StopReason =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly error: string; readonly classification: FailureClass }
  | {
      readonly kind: 'paused'
      readonly path: string
      readonly until: Micros | null
      readonly call?: string | undefined
    }
  | { readonly kind: 'waiting'; readonly until: Micros }
  /** The process is closing or the time limit is reached, during a step or between steps. */
  | { readonly kind: 'broken'; readonly step?: { readonly path: string; readonly failures: number } }

/** Response of a respond step. */
export interface RunAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Id of the wait that a call ends, if the run waits for one. */
  readonly resume?: string
}
