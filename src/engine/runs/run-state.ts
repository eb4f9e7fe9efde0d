import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { Micros } from '../../contract/values/micros.ts'
import type { AutomationPorts } from '../pieces/ports.ts'
import type { StepRunner } from '../pieces/step-context.ts'
import type { FailureClass } from '../pieces/step-failure.ts'

/** What a walk through a definition knows of its run. The names are those of the stored record. */
export interface RunState {
  readonly id: string
  readonly account_id: number
  readonly automation_id: string
  /** 1 for a run of a test. */
  readonly testing: number
  /** Number of explicit retries of the run, plus one. */
  readonly round: number
  /** Latest response, as JSON. */
  readonly answer: string | null
  /** Payload of the trigger, as JSON. */
  readonly payload: string
}

/** `WAITING` is between two attempts. Rows have these words. */
export type StepStatus = 'RUNNING' | 'WAITING' | 'PAUSED' | 'SUCCEEDED' | 'FAILED'

/** What is recorded of a step. Lists and values are JSON. */
export interface StepState {
  readonly path: string
  readonly name: string
  readonly status: StepStatus
  readonly attempt: number
  readonly failures: number
  /** The list that a loop iterates over. */
  readonly items: string | null
  readonly input: string | null
  readonly output: string | null
  /** The output with its secrets hidden; null if it contains none. */
  readonly shown: string | null
  readonly error: string | null
  readonly classification: FailureClass | null
  readonly unresolved: string | null
  readonly log: string | null
}

/** Result of an attempt. */
export type StepEnd = Omit<StepState, 'name' | 'attempt' | 'items' | 'status'> & {
  readonly status: Exclude<StepStatus, 'RUNNING'>
}

/** Wait of a paused step. */
export interface WaitState {
  readonly path: string
  readonly payload: string | null
  readonly resumed_at: number | null
}

/** Records the progress of a run: run-recorder.ts of the platform in rows, simulate-run.ts in memory. */
export interface StepRecorder {
  /**
   * Records the start of a step and returns the number of the attempt. The start of a step with effects is stored when it returns,
   * so that after a crash it is known that the step has started; that of an inner step may be stored later.
   */
  begin(path: string, name: string, isInner?: boolean): Promise<number>
  end(step: StepEnd): Promise<void>
  /** Records the list that a loop iterates over. */
  items(path: string, items: string): Promise<void>
  /** Records the response of a step that does not end the run. */
  answer(answer: string): Promise<void>
}

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

/** What a walk uses of the program around it. */
export interface WalkerDeps {
  readonly machine: Machine
  readonly ports: AutomationPorts
  /** Returns the time of the platform. */
  readonly now: () => Promise<Micros> | Micros
  readonly random: () => number
  /** Returns whether an error means that nothing can be recorded now. The run is then continued later. */
  readonly isUnavailable?: (error: unknown) => boolean
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

/** Response of a respond step. Runs are stored with it as JSON: fields are added and not renamed. */
export interface RunAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Id of the wait that a call ends, if the run waits for one. */
  readonly resume?: string
}
