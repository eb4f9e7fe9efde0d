import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'
import { retryOptions } from './run-flag.ts'
import { findRunByAutomation, type ShownRun } from './runs-by-automation.ts'

/** Result of one run. `status` is that of the run when it was read back. */
export interface RetriedRun {
  readonly id: string
  readonly automation_id: string | null
  readonly automation_name: string | null
  readonly outcome:
    | 'succeeded'
    | 'waiting'
    | 'running'
    | 'failed_again'
    | 'not_retried'
    | 'unknown'
    | 'not_sent'
    | 'would_retry'
  readonly status: string | null
  /** Step at which it continues. */
  readonly step: string | null
  readonly error: string | null
}

export const retriedView: View<RetriedRun> = {
  id: (it) => it.id,
  hasLongIds: true,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'automation_name', title: 'Automation', priority: 3, flexible: true },
    { key: 'outcome', title: 'Outcome', priority: 1 },
    { key: 'status', title: 'Status', priority: 2, kind: 'status' },
    { key: 'step', title: 'From step', priority: 3 },
    { key: 'error', title: 'Error', priority: 2, flexible: true },
  ],
  empty: 'No failed runs.',
}

const outcomes: Readonly<Record<string, RetriedRun['outcome']>> = {
  SUCCEEDED: 'succeeded',
  PAUSED: 'waiting',
  RUNNING: 'running',
}

/** How runs are retried. */
export interface RetryOptions {
  /** Whether the platform shows runs by id (capability `runs`). */
  readonly isOffered: boolean
  /** Continues on the live version. */
  readonly onLatest: boolean
  readonly dryRun: boolean
  /** Whether it is the only run. Its refusal is the error of the command. */
  readonly isOnly: boolean
}

/**
 * Retries a run at its failed step and reads it back. One of several runs that the platform refuses is a result, not an
 * error.
 * @throws ClientFailure if nothing can be said about the run, such as without a connection
 */
export async function retryRun(context: Context, id: string, options: RetryOptions): Promise<RetriedRun> {
  let run: ShownRun
  try {
    run = await readRun(context, id, options)
  } catch (error) {
    return refusedRun({ id, automation_id: null, automation_name: null, status: null, step: null }, error, options)
  }
  const about = {
    id,
    automation_id: run.automation_id,
    automation_name: run.automation_name,
    status: run.status,
    step: failedStep(run),
  }
  if (run.status !== 'FAILED' && run.status !== 'CANCELLED')
    return {
      ...about,
      outcome: 'not_retried',
      step: null,
      error: `Only failed runs can be retried. It is ${run.status}.`,
    }
  if (options.dryRun) return { ...about, outcome: 'would_retry', error: run.error }
  try {
    await context.call(automate.retry, { id: String(run.automation_id), run_id: id }, retryOptions(options.onLatest))
  } catch (error) {
    return refusedRun(about, error, options)
  }
  const after = await readRun(context, id, options)
  return {
    ...about,
    status: after.status,
    outcome: outcomes[after.status] ?? 'failed_again',
    error: after.error ?? after.steps.findLast((it) => it.status === 'FAILED')?.error ?? null,
  }
}

/** Returns a run as the platform shows it. @throws ClientFailure `not_found` */
export const readRun = async (context: Context, run_id: string, { isOffered }: RetryOptions): Promise<ShownRun> =>
  isOffered ? (await context.call(automate.getRun, { run_id })).data : findRunByAutomation(context, run_id, undefined)

/** Returns the step at which a run continues: the last one that failed, a step before the loop around it. */
function failedStep({ steps }: ShownRun): string | null {
  const failed = steps.findLast((it) => it.status === 'FAILED')
  return failed ? (failed.path ?? failed.name) : null
}

function refusedRun(
  about: Omit<RetriedRun, 'outcome' | 'error'>,
  error: unknown,
  { isOnly }: RetryOptions,
): RetriedRun {
  const isRefusal =
    !isOnly && error instanceof ClientFailure && ['not_found', 'conflict', 'rejected', 'platform'].includes(error.exit)
  if (!isRefusal) throw error
  return { ...about, outcome: 'not_retried', error: error.message }
}
