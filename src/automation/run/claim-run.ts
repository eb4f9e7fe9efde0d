import type { Micros } from '../../flow/pieces/ports.ts'
import { finishStep, listSteps, type StepRow } from '../../store/automations/run-steps.ts'
import { listWaits, resumeWait, type WaitRow } from '../../store/automations/run-waits.ts'
import { findRun, type RunRow, rescheduleRun, runJobKind, updateRun } from '../../store/automations/runs.ts'
import type { Query } from '../../store/database/connection.ts'
import { deleteJob } from '../../store/runtime/scheduled-jobs.ts'
import { maxIdleStalls, maxStalls } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** A run this process holds, with what is known of it. */
export interface ClaimedRun {
  readonly run: RunRow
  readonly steps: readonly StepRow[]
  readonly waits: readonly WaitRow[]
}

const isOver = ({ status }: StepRow): boolean => status === 'SUCCEEDED' || status === 'FAILED'

/**
 * Takes a run whose due work this process has leased, in the caller's transaction; whoever held it before can write no more. Undefined when there is
 * nothing to do: it has ended, it waits for something that has not come, or it is ended here, since too many processes died over it.
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
  // Whoever let go of it did not die over it; who ended a step before died over the next.
  const stalls = run.held === 0 ? 0 : run.mark === finishedSteps ? run.stalls + 1 : 1
  const reason = stallReason(stalls, steps)
  if (reason !== undefined) return failRun(query, run, steps, now, reason, failed)
  const claimed = { status: 'RUNNING' as const, claims: run.claims + 1, held: 1, mark: finishedSteps, stalls }
  await updateRun(query, run.number, claimed)
  return { run: { ...run, ...claimed }, steps, waits }
}

/** Why a run is not tried again after so many processes died over it in a row. Only a step that began in them can be the cause, so attempts count first. */
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

/** Ends a run where it stands. */
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
