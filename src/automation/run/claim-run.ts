import type { Micros } from '../../contract/values/micros.ts'
import { finishStep, listSteps, type StepRow } from '../../store/automations/run-steps.ts'
import { listWaits, resumeWait, type WaitRow } from '../../store/automations/run-waits.ts'
import { findRun, type RunRow, rescheduleRun, runJobKind, updateRun } from '../../store/automations/runs.ts'
import type { Query } from '../../store/database/connection.ts'
import { deleteJob } from '../../store/runtime/scheduled-jobs.ts'
import { maxIdleStalls, maxStalls } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Run that this process holds, with its stored steps and waits. */
export interface ClaimedRun {
  readonly run: RunRow
  readonly steps: readonly StepRow[]
  readonly waits: readonly WaitRow[]
}

const isOver = ({ status }: StepRow): boolean => status === 'SUCCEEDED' || status === 'FAILED'

/**
 * Claims a run whose job this process has leased, in the caller's transaction. The previous holder can no longer write
 * to it.
 * Returns undefined if there is nothing to run: it has ended, it waits for an event, or it is ended here because
 * processes repeatedly died during it.
 */
export async function claimRun(
  query: Query,
  id: string,
  now: Micros,
  failed?: RunnerDeps['failed'],
): Promise<ClaimedRun | undefined> {
  const run = await findRun(query, id)
  if (!run || run.status === 'SUCCEEDED' || run.status === 'FAILED') {
    await deleteJob(query, runJobKind, id)
    return undefined
  }
  const steps = await listSteps(query, run.number)
  const waits = await listWaits(query, run.number)
  if (run.status === 'PAUSED') {
    const open = waits.find((it) => it.resumed_at === null)
    if (run.testing === 1 && open) {
      await deleteJob(query, runJobKind, id)
      return undefined
    }
    if (open && open.until !== null && open.until > now) {
      await rescheduleRun(query, id, open.until)
      return undefined
    }
    if (open && open.until === null) return failRun(query, run, steps, now, 'Timed out waiting for a callback.', failed)
    if (open) {
      await resumeWait(query, open.id, null, now)
      waits[waits.indexOf(open)] = { ...open, resumed_at: now }
    }
  }
  const finishedSteps = steps.filter(isOver).length
  // A process that released the run did not die during it. If more steps have ended since the last claim, the count
  // starts again.
  const stalls = run.held === 0 ? 0 : run.mark === finishedSteps ? run.stalls + 1 : 1
  const reason = stallReason(stalls, steps)
  if (reason !== undefined) return failRun(query, run, steps, now, reason, failed)
  const claimed = { status: 'RUNNING' as const, claims: run.claims + 1, held: 1, mark: finishedSteps, stalls }
  await updateRun(query, run.number, claimed)
  return { run: { ...run, ...claimed }, steps, waits }
}

/**
 * Returns why a run is not retried after processes repeatedly died during it; undefined if it may continue.
 * Only a step that started in those processes can be the cause, so its attempts are checked first.
 */
function stallReason(stalls: number, steps: readonly StepRow[]): string | undefined {
  const at = steps.findLast((it) => !isOver(it))
  const brokenOff = at ? at.attempt - at.failures : 0
  if (stalls >= maxStalls && brokenOff >= maxStalls)
    return `The platform stopped ${brokenOff} times while this step was running. The step was not retried.`
  const what = at ? 'this step could restart' : 'this run could continue'
  return stalls >= maxIdleStalls
    ? `The platform stopped ${stalls} times before ${what}. It was not retried.`
    : undefined
}

/** Ends a run as failed at its current step. */
async function failRun(
  query: Query,
  run: RunRow,
  steps: readonly StepRow[],
  now: Micros,
  error: string,
  failed: RunnerDeps['failed'],
): Promise<undefined> {
  const at = steps.findLast((it) => !isOver(it))
  if (at) {
    const { path, failures, input, output, shown, unresolved, log } = at
    await finishStep(query, run.number, {
      path,
      failures: failures + 1,
      input,
      output,
      shown,
      unresolved,
      log,
      status: 'FAILED',
      error,
      classification: 'wiring_error',
      now,
    })
  }
  const reason = at ? `${at.name}: ${error}` : error
  if (run.testing === 0) await failed?.(query, { run, error: reason, now })
  await updateRun(query, run.number, {
    status: 'FAILED',
    error: reason,
    held: 0,
    claims: run.claims + 1,
    finished_at: now,
  })
  await deleteJob(query, runJobKind, run.id)
  return undefined
}
