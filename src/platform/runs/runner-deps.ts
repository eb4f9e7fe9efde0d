import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { Micros } from '../../contract/values/micros.ts'
import type { AutomationPorts } from '../../engine/pieces/ports.ts'
import type { StepRunner } from '../../engine/pieces/step-context.ts'
import type { FailureClass } from '../../engine/pieces/step-failure.ts'
import type { RunRow } from '../store/automations/runs.ts'
import type { Connection, Query } from '../store/database/connection.ts'

/** Values that tokens may refer to: `trigger` and every step with an output, by name. */
export type Outputs = Readonly<Record<string, unknown>>

/** Value with its `{{ }}` resolved, and the tokens that have no value. */
interface Resolved {
  readonly value: unknown
  readonly unresolved: readonly string[]
  /** Texts in the value that must not be displayed. */
  readonly secrets?: readonly string[]
}

interface ResolveOptions {
  /** Time of the platform in milliseconds. */
  readonly now: number
  readonly signal: AbortSignal
  /** Messages of failed steps after which the run continued, by name. */
  readonly errors?: Readonly<Record<string, string>>
}

/** Executes definitions for the runner: resolves expressions and runs steps. */
export interface Machine {
  /** Resolves the expressions in a value. @throws StepFailure for a missing connection */
  resolve(value: unknown, outputs: Outputs, account: number, options: ResolveOptions): Promise<Resolved>
  /** Returns the runner of a step. @throws StepFailure for an unknown step */
  getRunner(node: AutomationNode): StepRunner
  /** Returns whether a step has no effect outside its run, so that repeating it is safe. */
  isInner?(node: AutomationNode): boolean
  /** Closes open resources. */
  close?(): Promise<void>
}

/** Live run that failed. */
export interface FailedRun {
  readonly run: RunRow
  readonly error: string
  readonly now: Micros
}

export interface RunnerDeps {
  readonly connection: Connection
  /** Returns the time of the platform. */
  readonly now: () => Promise<Micros> | Micros
  /** Returns the real time in milliseconds, used only for leases. */
  readonly wall: () => number
  /** Name of this process in leases. */
  readonly owner: string
  readonly machine: Machine
  readonly ports: AutomationPorts
  /** Returns a new unguessable id of 21 letters and digits. */
  readonly newId: (query: Query, now: Micros) => Promise<string>
  /**
   * Whether a run may be executed before it is stored. False if its id depends on the stored ones.
   */
  readonly mayStoreLater?: () => boolean
  readonly random: () => number
  /** Waits for real time before a step of a test is retried (default: a timer). */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /** Called for a failed live run, in the transaction that ends it. */
  readonly failed?: (query: Query, run: FailedRun) => Promise<void>
  /** Called for each run that has ended, after its transaction. */
  readonly ended?: (status: 'succeeded' | 'failed') => void
  /** Returns a stored definition as JSON (default: it is not sealed). */
  readonly openDefinition?: (account: number, stored: string) => string
  readonly log: (text: string) => void
}

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
