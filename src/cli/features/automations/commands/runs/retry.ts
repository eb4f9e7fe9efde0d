import { ClientFailure } from '../../../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../../../contract/errors/exit-codes.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import { maxRunsPerPage } from '../../../../../contract/values/page-size.ts'
import { canonicalJson, hashJson } from '../../../../../node/canonical-json.ts'
import { command, type Invocation } from '../../../../program/commandline/command.ts'
import { requireCapability } from '../../../../program/connection/require-capability.ts'
import { previewRequest } from '../../../../program/connection/send-request.ts'
import { confirmRepeatedSteps } from '../../../../program/consent/confirm-repeated-steps.ts'
import type { Context } from '../../../../program/context.ts'
import { usageError } from '../../../../program/errors/usage-error.ts'
import { parsePlatformTime } from '../../../../program/input/time-flag.ts'
import type { View } from '../../../../program/output/format.ts'
import { describeTime } from '../../../../program/output/time.ts'
import { automationId } from '../view.ts'
import { givenRun, pickedRun } from './get.ts'
import { confirmRepeatFlag, latestFlag, latestHint, retryOptions } from './run-flag.ts'
import {
  findRunByAutomation,
  listRunsByAutomation,
  queryOf,
  type RunFilter,
  type ShownRun,
} from './runs-by-automation.ts'

/** Result of one run. `status` is that of the run when it was read back. Scripts read it as JSON: fields and words are added, not renamed. */
interface RetriedRun {
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

const retriedView: View<RetriedRun> = {
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
interface RetryOptions {
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
async function retryRun(context: Context, id: string, options: RetryOptions): Promise<RetriedRun> {
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
const readRun = async (context: Context, run_id: string, { isOffered }: RetryOptions): Promise<ShownRun> =>
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

export const retry = command({
  callsPlatform: true,
  risk: 'outside',
  supportsPreview: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Resume failed runs at the failed step',
  argument: {
    name: 'run',
    describe: 'Ids of the runs, or "last" for the last failed one',
    optional: true,
    isVariadic: true,
  },
  flags: [
    { flags: '--failed', describe: 'All failed live runs that started since --since' },
    {
      flags: '--since <time>',
      describe: 'With --failed: runs that started at or after a time, or within 30m, 2h, 7d, whenever they failed',
    },
    { flags: '--automation <id>', describe: 'With --failed: only runs of this automation, by id or name' },
    latestFlag,
    confirmRepeatFlag,
  ],
  examples: ['last --dry-run', '--failed --since 1h --dry-run', '--failed --since 24h --automation Greeting --latest'],
  notes:
    'Steps that succeeded are not run again. The failed step runs again. If its request got no response, it may already have taken effect, and is sent a second time; steps that may have effects outside are named and require confirmation. To see its error and its input: parley automate runs get <run>. A cancelled run continues where it stopped. Each run is read back: the exit code is 20 when every run failed again, 11 when some did or could not be retried, and 12 when one is still running. --dry-run shows the runs and the step at which each continues. With --latest, a run is rejected when the live version lacks a step that already ran. On platforms that do not report which runs are tests, --failed includes test runs.',
  view: retriedView,
  async run(context, { words, flags }) {
    const isOffered = await context.supports('runs')
    const { dryRun } = context.globals
    const onLatest = flags.latest === true
    if (onLatest) await requireCapability(context, automate.getRun)
    const ids = await selectRuns(context, words, flags, isOffered)
    const options = { isOffered, onLatest, dryRun: dryRun === true, isOnly: ids.length === 1 }
    if (context.globals.printCurl && onLatest)
      throw usageError('--print-curl cannot show --latest, which is a header.', 'Remove one of them.')
    if (context.globals.printCurl) return printRequests(context, ids, options)
    if (!dryRun)
      await context.approvals.requirePlan(async () => {
        const content = await plannedRetries(context, ids, options)
        return {
          summary: `Run the failed steps of these runs again: ${ids.join(', ')}?`,
          content,
          allows: { [automate.retry.name]: ids.length },
          // What an interrupted run has retried is over, and is not retried again.
          isRest: (approved) =>
            Array.isArray(approved) &&
            content.every(
              (it) => it.repeats === null || approved.some((one) => canonicalJson(one) === canonicalJson(it)),
            ),
        }
      })
    if (!dryRun && flags.confirmSideEffects !== true) await confirmRepeats(context, ids, options)
    const rows = await retryInOrder(context, ids, options)
    await context.out.list(rows, { view: retriedView })
    if (dryRun) await context.notes.note('Dry run. Nothing was sent.')
    else if (rows.some((it) => it.outcome === 'failed_again')) {
      await context.notes.note('Next: parley automate runs get <run>')
      if (!onLatest && isOffered) await context.notes.note(latestHint('<run>'))
    }
    return exitOf(rows)
  },
})

/**
 * What a plan says about a run that is retried. A person approves the stored plan, and `ops run` compares it: another form
 * would need a new approval.
 */
interface PlannedRetry {
  readonly id: string
  /** Hash of the run with the input of its steps, and of the definition on which it continues; null if it is not retried. */
  readonly repeats: string | null
}

/** Returns what retrying runs repeats. */
async function plannedRetries(
  context: Context,
  ids: readonly string[],
  options: RetryOptions,
): Promise<readonly PlannedRetry[]> {
  const found: PlannedRetry[] = []
  for (const id of ids) {
    const run = await readRun(context, id, options).catch((error: ClientFailure) => {
      if (error.exit !== 'not_found') throw error
    })
    const isRetried = run?.status === 'FAILED' || run?.status === 'CANCELLED'
    const live =
      isRetried && options.onLatest
        ? (await context.call(automate.get, { id: String(run.automation_id) })).data.definition
        : null
    found.push({ id, repeats: isRetried ? hashJson([run, live]) : null })
  }
  return found
}

/** Asks once before failed steps have their effects again. Unknown runs are left to the platform to refuse. */
async function confirmRepeats(context: Context, ids: readonly string[], options: RetryOptions): Promise<void> {
  const runs: ShownRun[] = []
  for (const id of ids)
    try {
      runs.push(await readRun(context, id, options))
    } catch (error) {
      if ((error as ClientFailure).exit !== 'not_found') throw error
    }
  await confirmRepeatedSteps(context, runs, { isConfirmed: false, onLatest: options.onLatest })
}

/** Returns the ids of the runs that were named or selected, oldest first. @throws ClientFailure `usage` */
async function selectRuns(
  context: Context,
  words: readonly string[],
  flags: Invocation['flags'],
  isOffered: boolean,
): Promise<readonly string[]> {
  const { failed, since, automation } = flags
  if (!failed) {
    if (since !== undefined || automation !== undefined)
      throw usageError('--since and --automation require --failed.', 'Pass ids of runs, or add --failed.')
    const given = words.length > 0 ? words : [await pickedRun(context, undefined)]
    const ids = await Promise.all(given.map((it) => givenRun(context, it, undefined, isOffered, 'FAILED')))
    return [...new Set(ids)]
  }
  if (words.length > 0) throw usageError('Pass ids of runs or --failed, not both.')
  if (since === undefined) throw usageError('Missing --since. Pass how far back to retry failed runs, such as 1h.')
  const start = await parsePlatformTime(context, since, '--since')
  const filter: RunFilter = {
    automation: automation === undefined ? undefined : await automationId(context, String(automation)),
    status: 'FAILED',
    since: start,
    ...(isOffered && { test: false }),
  }
  const found = isOffered ? await listAll(context, filter) : await listRunsByAutomation(context, filter)
  if (start !== undefined)
    await context.notes.note(
      `Failed runs that started since ${describeTime(new Date(start).toISOString())}: ${found.length}. A run that waited can have started earlier and failed later. To include those, pass an earlier --since.`,
    )
  return found.map((it) => it.id).reverse()
}

async function listAll(context: Context, filter: RunFilter): Promise<{ readonly id: string }[]> {
  const found: { readonly id: string }[] = []
  let cursor: string | undefined
  do {
    const page = await context.call(automate.listRuns, queryOf(filter, maxRunsPerPage, cursor))
    found.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return found
}

/**
 * Retries runs one after another. When a request fails without an answer about the run, the rest is not sent.
 * @throws ClientFailure if the first one fails so
 */
async function retryInOrder(context: Context, ids: readonly string[], options: RetryOptions): Promise<RetriedRun[]> {
  const rows: RetriedRun[] = []
  let stopped: ClientFailure | undefined
  for (const id of ids) {
    const base = { id, automation_id: null, automation_name: null, status: null, step: null }
    if (stopped) {
      rows.push({ ...base, outcome: 'not_sent', error: null })
      continue
    }
    try {
      rows.push(await context.progress.showWhile(`Retrying run ${id}`, retryRun(context, id, options)))
    } catch (error) {
      if (!(error instanceof ClientFailure) || rows.length === 0) throw error
      stopped = error
      rows.push({ ...base, outcome: 'unknown', error: error.message })
    }
  }
  return rows
}

function exitOf(rows: readonly RetriedRun[]): ExitName {
  const count = (...wanted: RetriedRun['outcome'][]): number => rows.filter((it) => wanted.includes(it.outcome)).length
  const bad = count('failed_again', 'not_retried', 'unknown', 'not_sent')
  if (bad > 0) return bad === rows.length && count('unknown', 'not_sent') === 0 ? 'finding' : 'partial'
  return count('running') > 0 ? 'unknown' : 'done'
}

async function printRequests(context: Context, ids: readonly string[], { isOffered }: RetryOptions): Promise<void> {
  for (const run_id of ids) {
    const run = isOffered
      ? (await context.call(automate.getRun, { run_id })).data
      : await findRunByAutomation(context, run_id, undefined)
    await previewRequest(context, automate.retry, { id: String(run.automation_id), run_id })
  }
}
