import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { Micros } from '../../contract/values/micros.ts'
import type { AutomationPorts } from './ports.ts'

/** Context of one attempt of one step of a run. */
export interface StepContext {
  readonly account: number
  readonly automation: string
  readonly run: string
  /** Name of the step, such as `step_3`. */
  readonly step: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Idempotency key: the same for every attempt of this step in this run and loop iteration. */
  readonly key: string
  /** Result of `nodeInput(node)` with every `{{ }}` resolved. */
  readonly input: unknown
  /** Time of the platform, which may be frozen or shifted. */
  readonly now: Micros
  /** Whether this is a test run. */
  readonly testing: boolean
  readonly signal: AbortSignal
  /** Set if the step paused and is run again, because its time has come or the run was called back. */
  readonly resumed?: { readonly payload?: unknown }
  /** Adds a line to the log of the step. */
  log(text: string): void
  readonly ports: AutomationPorts
}

/** How a step ended. A failure is not an outcome: the step throws a `StepFailure`. */
export type StepOutcome =
  | { readonly kind: 'done'; readonly output: unknown }
  /**
   * Pauses the run until a time, or until it is called back if null, or until the run `call` that it started responds or
   * ends. The step is then run again with `resumed`.
   */
  | { readonly kind: 'pause'; readonly until: Micros | null; readonly output?: unknown; readonly call?: string }
  /** Sends a response to the caller of the run. With `stop` the run then ends successfully, otherwise it continues. */
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: unknown
      readonly stop: boolean
      readonly output: unknown
      /** Whether the run pauses after the response until it is called back. */
      readonly waits?: boolean
    }

/** Executes a node. @throws StepFailure */
export type StepRunner = (context: StepContext, node: AutomationNode) => Promise<StepOutcome>
