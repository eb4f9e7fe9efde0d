import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { Micros } from '../../contract/values/micros.ts'
import type { WalkerDeps } from '../../engine/runs/run-state.ts'
import type { MeasureWork } from '../../node/spans.ts'
import type { RunRow } from '../store/automations/runs.ts'
import type { AccountQuery, Connection } from '../store/database/connection.ts'

/** Live run that failed. */
export interface FailedRun {
  readonly run: RunRow
  readonly error: string
  readonly now: Micros
}

/** What the runner of a process needs from the platform: create-runner.ts of services/automations/runs fills it. The runner itself says what is unavailable. */
export interface RunnerDeps extends Omit<WalkerDeps, 'isUnavailable'> {
  readonly connection: Connection
  /** Returns the real time in milliseconds, used only for leases. */
  readonly wall: () => number
  /** Name of this process in leases. */
  readonly owner: string
  /** Returns a new id of a run of an account. It cannot be guessed, because the addresses that continue a waiting run contain it. */
  readonly newId: (query: AccountQuery, account: number, now: Micros) => Promise<string>
  /**
   * Whether a run may be executed before it is stored (default: no). False if its id depends on the stored ones.
   */
  readonly mayStoreLater?: () => boolean
  /** Waits for real time before a step of a test is retried (default: a timer). */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /**
   * Returns why the restricted key that a run has may not execute it, or execute it further (default: it always may). With
   * `trigger`, its rights are compared with the steps too.
   */
  readonly findKeyProblem?: (run: RunRow, trigger?: AutomationNode) => Promise<string | undefined>
  /** Called for a failed live run, in the transaction that ends it. */
  readonly failed?: (query: AccountQuery, run: FailedRun) => Promise<void>
  /** Called for each run that has ended, after its transaction. */
  readonly ended?: (status: 'succeeded' | 'failed') => void
  /** Returns a stored definition as JSON (default: it is not sealed). */
  readonly openDefinition?: (account: number, stored: string) => string
  /** Records runs and their steps in traces, if they are exported. */
  readonly measure?: MeasureWork | undefined
  readonly log: (text: string) => void
}
