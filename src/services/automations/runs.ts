import { leaseMs } from '../../automation/run/limits.ts'
import { Failure } from '../../contract/errors.ts'
import { type AutomationRow, findAutomation } from '../../store/automations.ts'
import { insertDue } from '../../store/due.ts'
import { listSteps, reviveStep, type StepRow } from '../../store/run-steps.ts'
import { changeRun, findRun, listRuns, type RunRow, runWork } from '../../store/runs.ts'
import type { Deps } from '../deps.ts'
import { askEngine } from './engine.ts'

export interface SeenRun {
  readonly run: RunRow
  readonly steps: readonly StepRow[]
}

/** Milliseconds a retry waits for its end before it says that it goes on. */
const patience = 10_000

/** What became of runs, and going on with those that failed (facts 2.11). */
export function runService(deps: Deps) {
  const { connection, clock } = deps

  async function own(account: number, id: string, kind: 'automate.not_found' | 'automate.missing'): Promise<AutomationRow> {
    const row = await findAutomation(connection.read, account, id)
    if (!row) throw new Failure(kind)
    return row
  }

  return {
    /** Newest first. @throws Failure 404 */
    async list(account: number, automation: string, limit: number): Promise<RunRow[]> {
      await own(account, automation, 'automate.not_found')
      return listRuns(connection.read, automation, limit)
    },

    /** @throws Failure 404 */
    async get(account: number, automation: string, id: string): Promise<SeenRun> {
      await own(account, automation, 'automate.not_found')
      const run = id.includes('\0') ? undefined : await findRun(connection.read, id)
      if (run?.automation_id !== automation) throw new Failure('automate.run_not_found')
      return { run, steps: await listSteps(connection.read, run.number) }
    },

    /** Goes on with a failed run at the step that failed, with what the steps before it gave. @throws Failure 404, 422 */
    async retry(account: number, automation: string, id: string): Promise<RunRow> {
      await own(account, automation, 'automate.missing')
      if ((await findRun(connection.read, id))?.automation_id !== automation) throw new Failure('automate.run_missing')
      await askEngine(deps, 'retry', 'automate.retry_failed', { account, id })
      const runner = await deps.runner()
      await connection.write(async (query) => {
        const run = await findRun(query, id)
        const failed = run?.status === 'FAILED' ? (await listSteps(query, run.number)).findLast((it) => it.status === 'FAILED') : undefined
        if (!run || !failed) throw new Failure('automate.retry_no_op')
        const now = await clock.now(query)
        await reviveStep(query, run.number, failed.path)
        // A new round has new idempotency keys: what was refused under the old ones would be refused again.
        await changeRun(query, run.number, { status: 'RUNNING', error: null, finished_at: null, held: 0, stalls: 0, active: 0, round: run.round + 1 })
        const lease = { lease_owner: deps.owner, lease_until: deps.wall() + leaseMs }
        await insertDue(query, { account_id: account, kind: runWork, subject: id, due_at: now, attempts: 0, ...lease })
      })
      await runner.wake([id])
      await runner.settled(id, patience)
      return (await findRun(connection.read, id)) as RunRow
    },
  }
}
