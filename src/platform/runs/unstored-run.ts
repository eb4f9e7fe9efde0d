import { purgeOldRuns } from '../store/automations/run-retention.ts'
import { insertRun, type NewRunRow, type RunRow } from '../store/automations/runs.ts'
import type { Query } from '../store/database/connection.ts'
import { insertRunJob } from './accept-run.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Inserts a row and returns its number; undefined if its id is taken. */
type InsertRun = (row: NewRunRow) => Promise<number | undefined>

/**
 * Run that is executed before it is stored, because its caller waits for the end. It is stored with its first entry that
 * has an effect outside the run, or with its end. If the process dies before that, nothing has happened, and the caller
 * has no answer.
 */
export class UnstoredRun {
  /** The run. Its number is 0 until it is stored. */
  readonly row: RunRow
  /** Whether a transaction has stored it, so that other processes see it. */
  isStored = false
  readonly #deps: Pick<RunnerDeps, 'owner' | 'wall'>

  constructor(deps: Pick<RunnerDeps, 'owner' | 'wall'>, row: NewRunRow) {
    this.#deps = deps
    this.row = { ...row, number: 0 }
  }

  /** Inserts the run with its job, in the caller's transaction, which may run again. */
  async store(query: Query): Promise<void> {
    await this.insert(query)
    await insertRunJob(query, this.#deps, this.row)
  }

  /** Inserts the run without a job. @throws Error if its id was taken, which does not happen by chance */
  async insert(query: Query, insert: InsertRun = async (row) => (await insertRun(query, row))?.number): Promise<void> {
    const { number: _, ...row } = this.row
    const number = await insert(row)
    if (number === undefined) throw new Error(`The id ${row.id} of a run is taken.`)
    this.row.number = number
    await purgeOldRuns(query, this.row)
  }
}
