import type { Micros } from '../../contract/values/micros.ts'
import { isStopped } from '../store/accounts/accounts.ts'
import { finishStep, listSteps, listStepsOfRuns, type StepRow } from '../store/automations/run-steps.ts'
import { deleteWaits, endWaits, listWaitsOfRuns, type WaitRow } from '../store/automations/run-waits.ts'
import {
  holdRuns,
  listRunsById,
  type RunRow,
  rescheduleRun,
  runDueAt,
  runJobKind,
  updateRun,
} from '../store/automations/runs.ts'
import type { AccountQuery } from '../store/database/connection.ts'
import { deleteJob, heldUntil } from '../store/runtime/scheduled-jobs.ts'
import { listAwaitedRuns, wakeCaller } from './called-runs.ts'
import { maxIdleStalls, maxStalls } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Run that this process holds, with its stored steps and waits. */
export interface ClaimedRun {
  readonly run: RunRow
  readonly steps: readonly StepRow[]
  readonly waits: readonly WaitRow[]
}

const isOver = ({ status }: StepRow): boolean => status === 'SUCCEEDED' || status === 'FAILED'

/** What the claims of one transaction share. Changes that are the same for many runs are made together, at the end. */
interface ClaimContext {
  readonly query: AccountQuery
  readonly now: Micros
  readonly failed: RunnerDeps['failed']
  /** Ids of waits that have ended. */
  readonly endedWaits: string[]
}

/**
 * Claims runs whose jobs this process has leased, in the caller's transaction. Their previous holders can no longer
 * write to them. Returns them in order, with undefined where there is nothing to run: the run has ended, it waits for an
 * event or until its account is resumed, or it is ended here because processes repeatedly died during it.
 */
export async function claimRuns(
  query: AccountQuery,
  ids: readonly string[],
  now: Micros,
  failed?: RunnerDeps['failed'],
): Promise<(ClaimedRun | undefined)[]> {
  const [runs, isAccountStopped] = await Promise.all([listRunsById(query, ids), isStopped(query)])
  const numbers = runs.map((it) => it.number)
  const steps = groupByRun(numbers.length > 0 ? await listStepsOfRuns(query, numbers) : [])
  const waits = groupByRun(numbers.length > 0 ? await listWaitsOfRuns(query, numbers) : [])
  const context: ClaimContext = { query, now, failed, endedWaits: [] }
  const byId = new Map(runs.map((run) => [run.id, run]))
  const claimed: (ClaimedRun | undefined)[] = []
  for (const id of ids) {
    const run = byId.get(id)
    const isOpen = run && run.status !== 'SUCCEEDED' && run.status !== 'FAILED'
    if (isOpen && isAccountStopped && run.testing === 0) {
      await rescheduleRun(query, id, heldUntil)
      claimed.push(undefined)
    } else if (isOpen)
      claimed.push(await claimRun(context, run, steps.get(run.number) ?? [], waits.get(run.number) ?? []))
    else {
      await deleteJob(query, runJobKind, id)
      claimed.push(undefined)
    }
  }
  if (context.endedWaits.length > 0) await endWaits(query, context.endedWaits, now)
  await hold(query, claimed)
  return claimed
}

function groupByRun<T extends { readonly run: number }>(rows: readonly T[]): ReadonlyMap<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(row.run)
    if (group) group.push(row)
    else groups.set(row.run, [row])
  }
  return groups
}

/** Stores that this process holds the claimed runs: those with the same counts in one statement. */
async function hold(query: AccountQuery, claimed: readonly (ClaimedRun | undefined)[]): Promise<void> {
  const groups = new Map<string, RunRow[]>()
  for (const run of claimed) {
    if (!run) continue
    const key = `${run.run.mark} ${run.run.stalls}`
    groups.set(key, [...(groups.get(key) ?? []), run.run])
  }
  for (const [first, ...more] of groups.values())
    if (first)
      await holdRuns(
        query,
        [first, ...more].map((it) => it.number),
        first,
      )
}

async function claimRun(
  { query, now, failed, endedWaits }: ClaimContext,
  run: RunRow,
  steps: readonly StepRow[],
  waits: WaitRow[],
): Promise<ClaimedRun | undefined> {
  if (run.status === 'PAUSED') {
    const open = waits.find((it) => it.resumed_at === null)
    if (run.testing === 1 && open) {
      await deleteJob(query, runJobKind, run.id)
      return undefined
    }
    if (open && open.until !== null && open.until > now) {
      await rescheduleRun(query, run.id, open.until)
      return undefined
    }
    const due = open?.until === null ? await runDueAt(query, run.id) : undefined
    if (due !== undefined && due > now) {
      await rescheduleRun(query, run.id, due)
      return undefined
    }
    if (open && open.until === null) return failRun(query, run, steps, now, 'Timed out waiting for a callback.', failed)
    if (open) {
      endedWaits.push(open.id)
      waits[waits.indexOf(open)] = { ...open, resumed_at: now }
    }
  }
  const finishedSteps = steps.filter(isOver).length
  // A process that released the run did not die during it. If more steps have ended since the last claim, the count
  // starts again.
  const stalls = run.held === 0 ? 0 : run.mark === finishedSteps ? run.stalls + 1 : 1
  const reason = stallReason(stalls, steps)
  if (reason !== undefined) return failRun(query, run, steps, now, reason, failed)
  return {
    run: { ...run, status: 'RUNNING', claims: run.claims + 1, held: 1, mark: finishedSteps, stalls },
    steps,
    waits,
  }
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

/** Ends a run as failed at its current step. `claims` grows, so that a process that still has the run can write nothing more. */
async function failRun(
  query: AccountQuery,
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
  await wakeCaller(query, { ...run, status: 'FAILED', error: reason }, now)
  return undefined
}

/** Reason in the record of a cancelled run and of its step, for people. `cancelled_at` is what makes the status CANCELLED in the API. */
const reason = 'Cancelled.'

/**
 * Ends a run as cancelled in the caller's transaction, which must hold its account. The process that runs it can no
 * longer write to it. The current step is stored as failed, so that a retry continues there. Runs that it waits for are
 * cancelled too. Returns the ids of all cancelled runs, that of the given run first.
 */
export async function cancelClaims(query: AccountQuery, run: RunRow, now: Micros): Promise<string[]> {
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
