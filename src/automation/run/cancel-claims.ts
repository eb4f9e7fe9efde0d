import type { Micros } from '../../contract/values/micros.ts'
import { finishStep, listSteps } from '../../store/automations/run-steps.ts'
import { deleteWaits } from '../../store/automations/run-waits.ts'
import { type RunRow, runJobKind, updateRun } from '../../store/automations/runs.ts'
import type { Query } from '../../store/database/connection.ts'
import { deleteJob } from '../../store/runtime/scheduled-jobs.ts'
import { wakeCaller } from './called-runs.ts'

/** Reason in the record of a cancelled run and of the step at which it stopped. */
const reason = 'Cancelled.'

/**
 * Ends a run as cancelled in the caller's transaction, which must hold its account. The process that runs it can no
 * longer write to it. The current step is stored as failed, so that a retry continues there.
 */
export async function cancelClaims(query: Query, run: RunRow, now: Micros): Promise<void> {
  const at = (await listSteps(query, run.number)).findLast((it) => it.status !== 'SUCCEEDED' && it.status !== 'FAILED')
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
}
