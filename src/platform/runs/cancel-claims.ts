import type { Micros } from '../../contract/values/micros.ts'
import { finishStep, listSteps } from '../store/automations/run-steps.ts'
import { deleteWaits } from '../store/automations/run-waits.ts'
import { type RunRow, runJobKind, updateRun } from '../store/automations/runs.ts'
import type { Query } from '../store/database/connection.ts'
import { deleteJob } from '../store/runtime/scheduled-jobs.ts'
import { listAwaitedRuns, wakeCaller } from './called-runs.ts'

/** Reason in the record of a cancelled run and of the step at which it stopped. */
const reason = 'Cancelled.'

/**
 * Ends a run as cancelled in the caller's transaction, which must hold its account. The process that runs it can no
 * longer write to it. The current step is stored as failed, so that a retry continues there. Runs that it waits for are
 * cancelled too. Returns the ids of all cancelled runs, that of the given run first.
 */
export async function cancelClaims(query: Query, run: RunRow, now: Micros): Promise<string[]> {
  const at = (await listSteps(query, run.number)).findLast((it) => it.status !== 'SUCCEEDED' && it.status !== 'FAILED')
  const awaited = await listAwaitedRuns(query, run, at?.status === 'RUNNING' ? at.path : undefined)
  if (at) {
    const { path, failures, input, output, shown, unresolved, log } = at
    const known = { path, failures, input, output, shown, unresolved, log }
    await finishStep(query, run.number, {
      ...known,
      status: 'FAILED',
      error: reason,
      classification: 'wiring_error',
      now,
    })
  }
  await deleteWaits(query, run.number)
  await updateRun(query, run.number, {
    status: 'FAILED',
    error: reason,
    held: 0,
    claims: run.claims + 1,
    finished_at: now,
    cancelled_at: now,
  })
  await deleteJob(query, runJobKind, run.id)
  await wakeCaller(query, { ...run, status: 'FAILED', error: reason }, now)
  const cancelled = [run.id]
  for (const child of awaited.values()) cancelled.push(...(await cancelClaims(query, child, now)))
  return cancelled
}
