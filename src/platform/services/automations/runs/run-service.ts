import type { CancelledRun } from '../../../../contract/automations/run-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { requireValue } from '../../../../node/require-value.ts'
import { cancelClaims } from '../../../runs/cancel-claims.ts'
import { leaseMs } from '../../../runs/run-limits.ts'
import { type AutomationRow, findAutomation } from '../../../store/automations/automations.ts'
import { listSteps, resetStep, type StepRow } from '../../../store/automations/run-steps.ts'
import { deleteWait } from '../../../store/automations/run-waits.ts'
import { findNamedRun, findRun, listRuns, type RunRow, runJobKind, updateRun } from '../../../store/automations/runs.ts'
import type { Query } from '../../../store/database/connection.ts'
import { insertJob } from '../../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { applyEngineFault } from '../publishing/engine-faults.ts'
import { latestVersionFor } from './latest-version.ts'
import { toSummary } from './run-records.ts'

/** A run with its steps. */
interface RunDetails {
  readonly run: RunRow
  readonly steps: readonly StepRow[]
}

/** Why a run with a status has no failed step to resume at. */
const notFailed: Readonly<Record<RunRow['status'], string>> = {
  SUCCEEDED: 'it succeeded',
  FAILED: 'none of its steps failed',
  PAUSED: 'it is waiting',
  RUNNING: 'it is running',
}

/** Milliseconds a retry waits for the run to end before it responds with the run in progress. */
const retryWaitMs = 10_000

/** Lists and retries the runs of an automation (facts 2.11). */
export function runService(deps: Deps) {
  const { connection, clock } = deps

  async function requireAutomation(
    account: number,
    id: string,
    kind: 'automate.not_found' | 'automate.missing',
  ): Promise<AutomationRow> {
    const row = await findAutomation(connection.read, account, id)
    if (!row) throw new Failure(kind)
    return row
  }

  async function latestVersion(query: Query, run: RunRow, steps: readonly StepRow[]): Promise<string> {
    const row = await findAutomation(query, run.account_id, run.automation_id)
    if (!row) throw new Failure('automate.missing')
    // Iterations of a failed loop continue in the loop, so it must exist too.
    const completed = steps.filter((it) => it.status === 'SUCCEEDED' || it.items !== null)
    return latestVersionFor(query, deps, row, run, completed)
  }

  return {
    /** Returns runs, newest first. @throws Failure 404 */
    async list(account: number, automation: string, limit: number): Promise<RunRow[]> {
      await requireAutomation(account, automation, 'automate.not_found')
      return listRuns(connection.read, automation, limit)
    },

    /** Returns a run with its steps. @throws Failure 404 */
    async get(account: number, automation: string, id: string): Promise<RunDetails> {
      await requireAutomation(account, automation, 'automate.not_found')
      const run = id.includes('\0') ? undefined : await findRun(connection.read, id)
      if (run?.automation_id !== automation) throw new Failure('automate.run_not_found')
      return { run, steps: await listSteps(connection.read, run.number) }
    },

    /**
     * Resumes a failed run at the failed step, with the outputs of the steps before it: on the version that it started
     * on, or on the live version. @throws Failure 404, 422
     */
    async retry(account: number, automation: string, id: string, onLatest = false): Promise<RunRow> {
      await requireAutomation(account, automation, 'automate.missing')
      if ((await findRun(connection.read, id))?.automation_id !== automation) throw new Failure('automate.run_missing')
      await applyEngineFault(deps, 'retry', 'automate.retry_failed', { account, id })
      const runner = await deps.runner()
      await connection.write({ account }, async (query) => {
        const run = await findRun(query, id)
        const steps = run?.status === 'FAILED' ? await listSteps(query, run.number) : []
        const failed = steps.findLast((it) => it.status === 'FAILED')
        if (!run || !failed)
          throw new Failure(
            'automate.retry_no_op',
            run && { text: `This run cannot be resumed: ${notFailed[run.status]}.` },
          )
        const version_id = onLatest ? await latestVersion(query, run, steps) : run.version_id
        const now = await clock.now(query)
        const idle = Math.max(0, now - (run.finished_at ?? now))
        await resetStep(query, run.number, failed.path, idle)
        await deleteWait(query, run.number, failed.path)
        // The new round yields new idempotency keys; under the old keys the earlier refusals would be replayed.
        await updateRun(query, run.number, {
          version_id,
          status: 'RUNNING',
          error: null,
          finished_at: null,
          cancelled_at: null,
          held: 0,
          stalls: 0,
          active: 0,
          idle: run.idle + idle,
          round: run.round + 1,
        })
        const lease = { lease_owner: deps.owner, lease_until: deps.wall() + leaseMs }
        await insertJob(query, {
          account_id: account,
          kind: runJobKind,
          subject: id,
          due_at: now,
          attempts: 0,
          ...lease,
        })
      })
      await runner.resume([{ id, account }])
      await runner.waitForRun(id, retryWaitMs)
      return requireValue(await findRun(connection.read, id))
    },
  }
}

/**
 * Cancels a run that is running or waiting, with the runs that it waits for. Returns the run; one that had ended is
 * returned unchanged. A step that is running in another process may still take effect, but its result is not stored and
 * no further step starts.
 * @throws Failure 404
 */
export async function cancelRun(deps: Deps, account: number, id: string): Promise<CancelledRun> {
  const cancelled = await deps.connection.write({ account }, async (query) => {
    const run = await findNamedRun(query, account, id)
    if (!run) throw new Failure('automate.run_record_not_found')
    // A test that waits has ended as PAUSED: it has no job and never continues.
    return run.finished_at === null ? cancelClaims(query, run, await deps.clock.now(query)) : []
  })
  if (cancelled.length > 0) {
    const runner = await deps.runner()
    for (const run of cancelled) runner.abort(run)
  }
  const run = await findNamedRun(deps.connection.read, account, id)
  if (!run) throw new Failure('automate.run_record_not_found')
  return { ...toSummary(run), also_cancelled: cancelled.slice(1) }
}
