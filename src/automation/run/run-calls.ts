import type { Micros } from '../../contract/values/micros.ts'
import type { CallResult } from '../../flow/pieces/ports.ts'
import { stringifyJson } from '../../node/json.ts'
import { resumeWait } from '../../store/automations/run-waits.ts'
import { findRun, type RunLease, type RunRow, rescheduleRun } from '../../store/automations/runs.ts'
import type { Query } from '../../store/database/connection.ts'
import { callResult, wakeCaller } from './called-runs.ts'
import { leaseMs } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Run that waited for another one and can continue. */
export interface ReadyRun {
  readonly id: string
  readonly account: number
}

const deletedRun: CallResult = { status: 'error', errorMessage: 'The called run was deleted before it ended.' }

/**
 * Ends the waits of calls in the transactions of a run: that of the step that called the run, and those of its own steps.
 * The job of a run that can continue then is leased to this process, which must resume it after the transaction.
 */
export class RunCalls {
  readonly #deps: Pick<RunnerDeps, 'owner' | 'wall'>
  readonly #run: RunRow
  /** Run that can continue after the current transaction. */
  ready: ReadyRun | undefined

  constructor(deps: Pick<RunnerDeps, 'owner' | 'wall'>, run: RunRow) {
    this.#deps = deps
    this.#run = run
  }

  /** Lets the step that called this run continue, if the run has responded or ended with `change`. */
  async wakeCaller(query: Query, change: Partial<RunRow>, now: Micros): Promise<void> {
    if (this.#run.dedupe_key === null) return
    this.ready ??= await wakeCaller(query, { ...this.#run, ...change }, now, this.#lease())
  }

  /** Ends a wait of this run for a called run that has responded or ended before the wait was stored. */
  async endWait(query: Query, wait: string, called: string, now: Micros): Promise<boolean> {
    const run = await findRun(query, called)
    const result = run ? callResult(run) : deletedRun
    if (!result) return false
    await resumeWait(query, wait, stringifyJson(result), now)
    await rescheduleRun(query, this.#run.id, now, this.#lease())
    this.ready = { id: this.#run.id, account: this.#run.account_id }
    return true
  }

  #lease(): RunLease {
    return { owner: this.#deps.owner, until: this.#deps.wall() + leaseMs }
  }
}
