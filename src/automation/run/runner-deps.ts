import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { AutomationPorts, Micros, StepRunner } from '../../flow/pieces/ports.ts'
import type { RunRow } from '../../store/automations/runs.ts'
import type { Connection, Query } from '../../store/database/connection.ts'

/** What a token may name: `trigger` and every step that has an output, by name. */
export type Outputs = Readonly<Record<string, unknown>>

/** A value with its `{{ }}` resolved, and the tokens that came to nothing. */
export interface Resolved {
  readonly value: unknown
  readonly unresolved: readonly string[]
  /** Texts in it that are shown to nobody. */
  readonly secrets?: readonly string[]
}

export interface ResolveOptions {
  /** The platform's time in milliseconds. */
  readonly now: number
  readonly signal: AbortSignal
}

/** What definitions, expressions and steps are to the runner. */
export interface Machine {
  /** @throws StepFailure for a connection that is missing */
  resolve(value: unknown, outputs: Outputs, account: number, options: ResolveOptions): Promise<Resolved>
  /** @throws StepFailure for a step nobody knows */
  getRunner(node: AutomationNode): StepRunner
  /** Whether a step touches nothing but the run it is in: done again, nobody could tell. */
  isInner?(node: AutomationNode): boolean
  /** Ends what it holds open. */
  close?(): Promise<void>
}

/** A live run that failed. */
export interface FailedRun {
  readonly run: RunRow
  readonly error: string
  readonly now: Micros
}

export interface RunnerDeps {
  readonly connection: Connection
  /** The platform's time. */
  readonly now: () => Promise<Micros>
  /** Wall time in milliseconds, for leases only. */
  readonly wall: () => number
  /** This process, as leases name it. */
  readonly owner: string
  readonly machine: Machine
  readonly ports: AutomationPorts
  /** A new id of 21 letters and digits, not to be guessed. */
  readonly newId: (query: Query, now: Micros) => Promise<string>
  readonly random: () => number
  /** Told of a live run that failed, in the transaction that ends it. */
  readonly failed?: (query: Query, run: FailedRun) => Promise<void>
  readonly log: (text: string) => void
}
