import { basename } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { formatDuration } from '../../../contract/values/duration.ts'
import { usd } from '../../../contract/values/money.ts'
import { stringifyJson } from '../../../node/json.ts'
import { unknownText } from '../../program/contacts/unknown-text.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { idView, type View } from '../../program/output/format.ts'
import { escapeControls } from '../../program/terminal/safe-text.ts'
import {
  type BulkJob,
  costFact,
  countryHint,
  maxSkippedRows,
  optedOutRows,
  optedOutText,
  outsideHoursText,
  problemSummary,
  reasonsText,
  repeatedRowsText,
  type SkippedRow,
} from './bulk-job.ts'
import { mappingSentence, showPreview } from './preview-rows.ts'
import { formatCount } from './progress-bar.ts'
import type { JobResult } from './run-job.ts'

/** Printed result of a bulk run. Scripts read it as JSON: fields and words are added, not renamed. */
export interface RowsResult {
  readonly file: string
  readonly rows: number
  /** Rows done by this run. `done_before`: rows done by earlier runs. */
  readonly done: number
  readonly done_before: number
  /** Rows not sent because the recipient already received the same content from another file or command. */
  readonly reached_before: number
  /** Rows that exist already and were not changed. */
  readonly already: number
  readonly failed: number
  /** Invalid rows that were not sent. */
  readonly invalid: number
  /** Rows that wait on the platform until the contact hours are open. */
  readonly waiting: number
  /** Rows that were not sent because the recipient has opted out. */
  readonly skipped: number
  /** The first of these rows. */
  readonly skipped_rows: readonly SkippedRow[]
  /** Rows whose outcome is unknown. */
  readonly unknown: number
  /** Remaining rows. */
  readonly left: number
  readonly seconds: number
  /** Of rows that cost something: what the rows of this run cost in USD; null if the price is not known. */
  readonly cost_usd?: number | null | undefined
  /** File with the failed and the invalid rows and their errors. */
  readonly failed_file: string | null
}

const resultView: View<RowsResult> = idView((it) => it.file)

/** Writes the result: as an event of type `result` for ndjson, as a document, or as a sentence. */
async function printResult(
  context: Context,
  result: RowsResult,
  sentence: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { out, system } = context
  const { format, fields } = out.settings
  if (format === 'id') return
  if (format === 'ndjson' && !fields)
    return system.streams.stdout.write(escapeControls(`${stringifyJson({ type: 'result', ...result, ...more })}\n`))
  await out.result({ ...result, ...more }, sentence, { view: resultView })
}

/** Result of a run that did nothing. Its key order is the output order. */
const emptyResult = {
  file: '',
  rows: 0,
  done: 0,
  done_before: 0,
  reached_before: 0,
  already: 0,
  failed: 0,
  invalid: 0,
  waiting: 0,
  skipped: 0,
  skipped_rows: [],
  unknown: 0,
  left: 0,
  seconds: 0,
  failed_file: null,
}

/** Prints the result of `--dry-run`. Returns the exit code name `finding` if a row cannot be sent. */
export async function printDryRun(job: BulkJob): Promise<ExitName | undefined> {
  const { context, operation, checkResult, source, todo, flags } = job
  const { rows, bad } = checkResult
  if (context.system.streams.stderr.isTTY && checkResult.sample.length > 0)
    await showPreview(context, source.name, checkResult, operation)
  else if (rows > 0) await context.notes.note(mappingSentence(checkResult.columns))
  for (const { line, field, message } of checkResult.problems)
    await context.notes.warn(`line ${line}${field === '' ? '' : `, ${field}`}: ${message}`)
  const others = `${problemSummary(checkResult)}${countryHint(job)}`.trim()
  if (others !== '') await context.notes.warn(others)
  const before = job.progress.finished()
  const result = {
    ...emptyResult,
    file: source.name,
    rows,
    done_before: before,
    reached_before: job.plan.alreadySent,
    invalid: bad,
    skipped: job.optedOut,
    skipped_rows: optedOutRows(job),
    left: todo,
    ...(operation.priceOf && { cost_usd: job.costUsd ?? null }),
  }
  await noteSkippedRecipients(job)
  const optedOut = optedOutText(job)
  if (optedOut !== '') await context.notes.note(optedOut)
  await noteOptedOut(context, result)
  const outside = outsideHoursText(job)
  if (outside !== '') {
    const { profile } = await context.settings()
    const reserved = profile.budget === undefined ? '' : ' Their price is reserved in the budget of the profile.'
    await context.notes.note(`${outside}${reserved}`)
  }
  const repeated = repeatedRowsText(job)
  if (repeated !== '') await context.notes.note(repeated)
  const isRefused = bad > 0 && !flags.skipInvalid
  const summaryText = isRefused
    ? `Nothing would be sent: ${formatCount(bad)} of ${formatCount(rows)} rows ${bad === 1 ? 'is' : 'are'} invalid.`
    : `${countOf(todo, operation.nouns)} would be ${operation.doneVerb}${bad > 0 ? `, ${formatCount(bad)} of ${formatCount(rows)} rows cannot` : ''}${before > 0 ? `, ${formatCount(before)} already done` : ''}.`
  await printResult(context, result, summaryText, {
    dry_run: true,
    problems: checkResult.problems,
    problem_count: checkResult.problemCount,
    reasons: Object.fromEntries(checkResult.reasons),
  })
  const { facts = [], error } = job.unread ?? {}
  if (operation.priceOf && todo > 0 && !isRefused && !facts.includes(costFact))
    await context.notes.note(costText(job.costUsd))
  if (error && operation.channel !== undefined) await context.notes.note(unknownText(facts, error))
  if (isRefused)
    await context.notes.note(
      `Fix the rows${todo > 0 ? `, or pass --skip-invalid: ${countOf(todo, operation.nouns)} would be ${operation.doneVerb}` : ''}.`,
    )
  await context.notes.note('Dry run. Nothing was sent.')
  return isRefused ? 'finding' : undefined
}

const costText = (cost: number | null | undefined): string =>
  typeof cost === 'number' ? `Cost: ${usd(cost)}.` : 'Cost: unknown. The platform does not publish the price.'

const countOf = (n: number, [one, many]: readonly [string, string]): string =>
  `${formatCount(n)} ${n === 1 ? one : many}`

/**
 * Prints the result if there is nothing to send: the file is empty, or all valid rows are done. Invalid rows are in
 * `failedFile`.
 */
export async function printNothingToDo(job: BulkJob, failedFile: string | undefined): Promise<ExitName | undefined> {
  const { context, operation, checkResult, source, progress, plan } = job
  const before = progress.finished()
  if (plan.unresolved > 0) throw unresolvedError(job, plan.unresolved, plan.inProgress)
  const result = {
    ...emptyResult,
    file: source.name,
    rows: checkResult.rows,
    done_before: before,
    reached_before: plan.alreadySent,
    invalid: checkResult.bad,
    skipped: job.optedOut,
    skipped_rows: optedOutRows(job),
    failed_file: failedFile ?? null,
  }
  if (checkResult.rows === 0) {
    await printResult(context, result, `${source.name} has no rows. Nothing was sent.`)
    return undefined
  }
  if (job.optedOut > 0) {
    await printResult(context, result, `Nothing was sent: ${optedOutText(job)}`)
    await noteOptedOut(context, result)
    await noteSkippedRecipients(job)
    if (failedFile !== undefined) await context.notes.note(failedFileHint(0, failedFile))
    return checkResult.bad > 0 ? 'partial' : undefined
  }
  if (plan.alreadySent > 0) {
    await printResult(
      context,
      result,
      `Nothing was sent: every recipient of ${source.name} was already sent this content.`,
    )
    await noteSkippedRecipients(job)
    if (failedFile !== undefined) await context.notes.note(failedFileHint(0, failedFile))
    return checkResult.bad > 0 ? 'partial' : undefined
  }
  const since = progress.head.at.slice(0, 16).replace('T', ' ')
  const waited = progress.count('waiting')
  await printResult(
    context,
    result,
    waited > 0
      ? `Nothing was sent: an earlier run handed over ${countOf(before, operation.nouns)}, since ${since} UTC, of which ${formatCount(waited)} had to wait for the contact hours. See: parley contacts waiting --state all`
      : `Nothing was sent: ${before === checkResult.rows ? `every row of ${source.name} is done` : `of the rows of ${source.name}, ${formatCount(before)} of ${formatCount(checkResult.rows)} are done and the others are invalid`}, since ${since} UTC.`,
  )
  if (failedFile !== undefined) await context.notes.note(failedFileHint(0, failedFile))
  else await context.notes.note(operation.resendHint)
  return checkResult.bad > 0 ? 'partial' : undefined
}

/**
 * Names the recipients that are skipped because they received the same content before, and the flag that sends it
 * again.
 */
async function noteSkippedRecipients({ context, plan, operation, flags }: BulkJob): Promise<void> {
  if (plan.alreadySent === 0) return
  const more = plan.alreadySent - plan.recipients.length
  await context.notes.note(
    `Skipped ${countOf(plan.alreadySent, operation.nouns)}: the recipient was sent the same content in the last ${formatDuration(flags.within / 1000)}: ${plan.recipients.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}. To send it again, pass --resend.`,
  )
}

/** Names the rows that were skipped because their recipients have opted out. */
async function noteOptedOut({ notes }: Context, { skipped, skipped_rows }: RowsResult): Promise<void> {
  if (skipped === 0) return
  const named = skipped_rows
    .slice(0, maxSkippedRows.named)
    .map(({ line, phone_number }) => `line ${line} (${phone_number})`)
  const more = skipped - named.length
  await notes.note(`Opted out: ${[...named, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ')}.`)
}

/** Returns the error of a run that sent nothing because the outcome of every row is unknown. */
const unresolvedError = ({ operation }: BulkJob, unknown: number, inProgress: number): ClientFailure =>
  unknown === inProgress
    ? new ClientFailure({
        exit: 'conflict',
        code: 'operation_in_progress',
        message: `${inProgressText(operation, inProgress)}. Nothing was sent.`,
        hint: 'Wait for it, then run the same command again.',
        sent: false,
      })
    : new ClientFailure({
        exit: 'unknown',
        code: 'outcome_unknown',
        message: `The outcome of ${countOf(unknown, operation.nouns)} with the same content is unknown. Nothing was sent.`,
        hint: 'Run parley ops reconcile first, then the same command again.',
        next: ['parley ops reconcile'],
      })

const inProgressText = ({ nouns }: BulkJob['operation'], n: number): string =>
  `Another process is sending ${countOf(n, nouns)} with the same content`

/** Prints the summary of a run and returns its exit code name. @throws ClientFailure if no row was done */
export async function printSummary(job: BulkJob, outcome: JobResult): Promise<ExitName | undefined> {
  const { context, source, checkResult } = job
  const { system, notes } = context
  const result: RowsResult = {
    file: source.name,
    rows: checkResult.rows,
    done: outcome.done,
    done_before: outcome.doneBefore,
    reached_before: outcome.alreadySent,
    already: outcome.already,
    failed: outcome.failed,
    invalid: outcome.invalid,
    waiting: outcome.waiting,
    skipped: outcome.skipped,
    skipped_rows: outcome.skippedRows,
    unknown: outcome.unknown,
    left: outcome.left,
    seconds: Math.round(outcome.seconds * 1000) / 1000,
    ...(job.operation.priceOf && { cost_usd: outcome.costUsd }),
    failed_file: outcome.failedFile ?? null,
  }
  const isStopped = outcome.stopReason !== undefined
  await noteSkippedRecipients(job)
  const settled = outcome.done + outcome.waiting + outcome.already + outcome.doneBefore
  const isPartial = isStopped || outcome.failed + outcome.invalid + outcome.unknown + outcome.left > 0
  if (isStopped && isClosed(outcome.stopReason)) {
    if (outcome.failed + outcome.invalid + outcome.unknown + outcome.left === 0) throw outcome.stopReason
    await noteFailures(job, outcome)
    if (outcome.left > 0)
      await notes.note(`The output was closed: ${remainingText(outcome.left)}. Run the same command again to resume.`)
    return 'partial'
  }
  if (system.signal.aborted) {
    await noteFailures(job, outcome)
    await notes.note(
      `Stopped: ${formatCount(settled)} of ${formatCount(checkResult.rows)} rows are done. Run the same command again to resume.`,
    )
    return interruptedExit(system.signal)
  }
  if (settled === 0 && (isStopped || outcome.failed + outcome.unknown > 0)) throw await jobFailure(job, outcome)
  await printResult(context, result, summarySentence(job, outcome)).catch((error: unknown) => {
    if (!isPartial || !isClosed(error)) throw error
  })
  await noteOptedOut(context, result)
  if (outcome.already > 0 && job.operation.existingHint !== undefined) await notes.note(job.operation.existingHint)
  if (job.operation.priceOf && outcome.done > 0) await notes.note(costText(outcome.costUsd))
  await noteFailures(job, outcome)
  if (isStopped) {
    await notes.warn(`Stopped before the end: ${(outcome.stopReason as Error).message}`)
    const { hint } = outcome.stopReason as { hint?: string }
    if (hint !== undefined) await notes.note(hint)
    await notes.note(`${remainingText(outcome.left)}. Run the same command again to resume.`)
  } else if (outcome.left > 0)
    await notes.note(`${remainingText(outcome.left)}. Run the same command again for the next rows.`)
  return isPartial ? 'partial' : undefined
}

const isClosed = (error: unknown): boolean => (error as Error).name === 'ClosedPipe'

const remainingText = (n: number): string => `${formatCount(n)} ${n === 1 ? 'row' : 'rows'} remaining`

function summarySentence(
  { operation }: BulkJob,
  { done, already, skipped, waiting, doneBefore, seconds }: JobResult,
): string {
  const parts = [
    `${countOf(done, operation.nouns)} ${operation.doneVerb} in ${formatDuration(seconds)}`,
    ...(already > 0 ? [`${formatCount(already)} already existed and ${already === 1 ? 'was' : 'were'} skipped`] : []),
    ...(skipped > 0
      ? [`${formatCount(skipped)} skipped: the ${skipped === 1 ? 'recipient has' : 'recipients have'} opted out`]
      : []),
    ...(waiting > 0
      ? [
          `${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'} until the contact hours open: parley contacts waiting`,
        ]
      : []),
    ...(doneBefore > 0 ? [`${formatCount(doneBefore)} ${doneBefore === 1 ? 'was' : 'were'} done before`] : []),
  ]
  return `${parts.join('; ')}.`
}

/**
 * Names the file of failed rows and how to continue. It offers only one of the two files, because a row that is sent
 * from both files is sent twice.
 */
function failedFileHint(failed: number, file: string): string {
  const right = `They are in ${file}, each with its error. Fix the rows in ${basename(file)}, then import that file`
  return failed > 0 ? `${right}. Or run this command again to retry them unchanged. Do not do both.` : `${right}.`
}

/** Reports failed, invalid and unknown rows, and the file that contains them. */
async function noteFailures(
  { context, operation, checkResult }: BulkJob,
  { failed, invalid, unknown: all, inProgress, failedFile, firstFailure }: JobResult,
): Promise<void> {
  const { notes } = context
  const unknown = all - inProgress
  if (failed > 0)
    await notes.warn(`${countOf(failed, operation.nouns)} failed. First error: ${firstFailure?.message ?? ''}`)
  if (invalid > 0)
    await notes.warn(
      `${formatCount(invalid)} ${invalid === 1 ? 'row was' : 'rows were'} not sent. ${reasonsText(checkResult.reasons)}`,
    )
  if (failedFile !== undefined) await notes.note(failedFileHint(failed, failedFile))
  if (inProgress > 0)
    await notes.warn(
      `${inProgressText(operation, inProgress)}, so ${inProgress === 1 ? 'it was' : 'they were'} not sent again. Wait for it, then run the same command again.`,
    )
  if (unknown > 0)
    await notes.warn(
      `The outcome of ${countOf(unknown, operation.nouns)} is unknown, so ${unknown === 1 ? 'it is' : 'they are'} not sent again. ${operation.endpoint.risk === 'spends' ? 'To resolve: parley ops reconcile.' : ''}`.trimEnd(),
    )
}

/** Returns the error of a run that did no row: the error of the run, or of its first row. */
async function jobFailure(job: BulkJob, result: JobResult): Promise<unknown> {
  const { context, checkResult } = job
  const { message } = result.stopReason === undefined ? ({ message: '' } as Error) : (result.stopReason as Error)
  const failedFileNote = result.failedFile === undefined ? '' : ` They are in ${result.failedFile}.`
  if (context.out.settings.format === 'ndjson')
    await context.system.streams.stdout.write(
      escapeControls(`${stringifyJson({ type: 'error', message: message || (result.firstFailure?.message ?? '') })}\n`),
    )
  if (result.stopReason !== undefined) return result.stopReason
  if (result.unknown > 0) return unresolvedError(job, result.unknown, result.inProgress)
  const { firstFailure: first } = result
  return new ClientFailure({
    exit: first?.exit === 'conflict' ? 'conflict' : 'rejected',
    code: first?.code ?? 'rejected',
    message: `None of the ${formatCount(checkResult.rows)} rows was accepted. First error: ${first?.message ?? 'it could not be sent'}`,
    ...(first?.status !== undefined && { status: first.status }),
    hint: `${first?.hint ?? 'Fix the rows.'}${failedFileNote}`,
  })
}
