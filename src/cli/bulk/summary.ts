import { basename } from 'node:path'
import { ClientFailure } from '../../client/failure.ts'
import type { ExitName } from '../../contract/exits.ts'
import type { Context } from '../context.ts'
import type { View } from '../output/form.ts'
import { counted, lasting } from './bar.ts'
import { mappingSentence, showPreview } from './preview.ts'
import type { Performed } from './run.ts'
import { interruptedAs, type Job } from './work-order.ts'

/** What a run of rows answers. */
export interface RowsResult {
  readonly file: string
  readonly rows: number
  /** Done by this run, and by earlier ones. */
  readonly done: number
  readonly done_before: number
  /** Not sent: their recipient was sent the same content before, by another file or command. */
  readonly reached_before: number
  /** Was there already, and stays as it is. */
  readonly already: number
  readonly failed: number
  /** Not sent: they could not be as they were. */
  readonly invalid: number
  /** Nobody can say. */
  readonly unknown: number
  /** Still to do. */
  readonly left: number
  readonly seconds: number
  /** Rows that failed or were not sent, with what was wrong. */
  readonly failed_file: string | null
}

export const resultView: View<RowsResult> = { id: (it) => it.file, columns: [], empty: '' }

/** Writes the result: an event of its own after others, a document, or sentences. */
async function print(context: Context, result: RowsResult, sentence: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { out, world } = context
  const { form, fields } = out.settings
  if (form === 'id') return
  if (form === 'ndjson' && !fields) return world.streams.stdout.write(`${JSON.stringify({ type: 'result', ...result, ...more })}\n`)
  if (form !== 'table' || fields) return out.record({ ...result, ...more }, { view: resultView })
  await out.line(sentence)
}

/** Nothing done, in the order of the fields. */
const nothing = {
  file: '',
  rows: 0,
  done: 0,
  done_before: 0,
  reached_before: 0,
  already: 0,
  failed: 0,
  invalid: 0,
  unknown: 0,
  left: 0,
  seconds: 0,
  failed_file: null,
}

/** What `--dry-run` tells: exit `finding` when a row could not be sent. */
export async function dryRun(job: Job): Promise<ExitName | undefined> {
  const { context, kind, checked, source, todo, flags } = job
  const { rows, bad } = checked
  if (context.world.streams.stderr.isTTY && checked.sample.length > 0) await showPreview(context, source.name, checked, kind)
  else if (rows > 0) await context.notes.note(mappingSentence(checked.columns))
  for (const { line, field, message } of checked.problems) await context.notes.warn(`line ${line}${field === '' ? '' : `, ${field}`}: ${message}`)
  const before = job.ledger.count('done') + job.ledger.count('already')
  const result = { ...nothing, file: source.name, rows, done_before: before, reached_before: job.plan.reached, invalid: bad, left: todo }
  await tellReached(job)
  const told = `${amount(todo, kind.things)} would be ${kind.done}${bad > 0 ? `, ${counted(bad)} of ${counted(rows)} rows cannot` : ''}${before > 0 ? `, ${counted(before)} are done` : ''}.`
  await print(context, result, told, { dry_run: true, problems: checked.problems })
  await context.notes.note('Nothing was sent: this was a dry run.')
  return bad > 0 && !flags.skipInvalid ? 'finding' : undefined
}

const amount = (n: number, [one, many]: readonly [string, string]): string => `${counted(n)} ${n === 1 ? one : many}`

/** There is nothing to do: no rows, or all of them done but for bad ones, which are in a file again. */
export async function nothingLeft(job: Job, failedFile: string | undefined): Promise<ExitName | undefined> {
  const { context, checked, source, ledger, plan } = job
  const before = ledger.count('done') + ledger.count('already')
  if (plan.held > 0) throw heldBack(job)
  const result = {
    ...nothing,
    file: source.name,
    rows: checked.rows,
    done_before: before,
    reached_before: plan.reached,
    invalid: checked.bad,
    failed_file: failedFile ?? null,
  }
  if (checked.rows === 0) {
    await print(context, result, `${source.name} has no rows. Nothing was sent.`)
    return undefined
  }
  if (plan.reached > 0) {
    await print(context, result, `Nothing was sent: no recipient of ${source.name} is left to be sent this content.`)
    await tellReached(job)
    if (failedFile !== undefined) await context.notes.note(whereOf(0, failedFile))
    return checked.bad > 0 ? 'partial' : undefined
  }
  const since = ledger.head.at.slice(0, 16).replace('T', ' ')
  await print(
    context,
    result,
    `Nothing was sent: ${before === checked.rows ? `every row of ${source.name} is done` : `of the rows of ${source.name}, ${counted(before)} of ${counted(checked.rows)} are done and the others cannot be sent as they are`}, since ${since} UTC.`,
  )
  if (failedFile !== undefined) await context.notes.note(whereOf(0, failedFile))
  else await context.notes.note('To send all of it again, pass --resend.')
  return checked.bad > 0 ? 'partial' : undefined
}

/** Names those that are left out as they were sent the same content before, and how to send it to them all the same. */
export async function tellReached({ context, plan, kind, flags }: Job): Promise<void> {
  if (plan.reached === 0) return
  const more = plan.reached - plan.names.length
  await context.notes.note(
    `Skipped ${amount(plan.reached, kind.things)}: the recipient was sent the same content in the last ${spanOf(flags.within)}: ${plan.names.join(', ')}${more > 0 ? ` and ${counted(more)} more` : ''}. To send it again, pass --resend.`,
  )
}

const spanOf = (ms: number): string =>
  ms % 86_400_000 === 0 ? `${ms / 86_400_000} days` : ms % 3_600_000 === 0 ? `${ms / 3_600_000} hours` : `${ms / 60_000} minutes`

const heldBack = ({ plan, kind }: Job): ClientFailure =>
  new ClientFailure({
    exit: 'unknown',
    code: 'outcome_unknown',
    message: `Whether ${amount(plan.held, kind.things)} with the same content went through is not known. Nothing was sent.`,
    hint: 'Find out what happened first: parley ops reconcile, then run the same command again.',
    next: ['parley ops reconcile'],
  })

/** Tells what came of it, and which exit code that is. @throws ClientFailure where nothing was done */
export async function ended(job: Job, it: Performed): Promise<ExitName | undefined> {
  const { context, source, checked } = job
  const { world, notes } = context
  const result: RowsResult = {
    file: source.name,
    rows: checked.rows,
    done: it.done,
    done_before: it.before,
    reached_before: it.reached,
    already: it.already,
    failed: it.failed,
    invalid: it.invalid,
    unknown: it.unknown,
    left: it.left,
    seconds: Math.round(it.seconds * 1000) / 1000,
    failed_file: it.failedFile ?? null,
  }
  const isStopped = it.stopped !== undefined
  await tellReached(job)
  const settled = it.done + it.already + it.before
  const isPartial = isStopped || it.failed + it.invalid + it.unknown + it.left > 0
  if (isStopped && isClosed(it.stopped)) {
    if (it.failed + it.invalid + it.unknown + it.left === 0) throw it.stopped
    await told(job, it)
    if (it.left > 0) await notes.note(`The output was closed: ${leftOf(it.left)}. To go on, run the same command again.`)
    return 'partial'
  }
  if (world.signal.aborted) {
    await told(job, it)
    await notes.note(`Stopped: ${counted(settled)} of ${counted(checked.rows)} rows are done. To go on, run the same command again.`)
    return interruptedAs(world.signal)
  }
  if (settled === 0 && (isStopped || it.failed + it.unknown > 0)) throw await failureOf(job, it)
  await print(context, result, sentenceOf(job, it)).catch((error: unknown) => {
    if (!isPartial || !isClosed(error)) throw error
  })
  await told(job, it)
  if (isStopped) {
    await notes.warn(`It stopped before the end: ${(it.stopped as Error).message}`)
    const { hint } = it.stopped as { hint?: string }
    if (hint !== undefined) await notes.note(hint)
    await notes.note(`${leftOf(it.left)}. To go on, run the same command again.`)
  } else if (it.left > 0) await notes.note(`${leftOf(it.left)}. For the next ones, run the same command again.`)
  return isPartial ? 'partial' : undefined
}

const isClosed = (error: unknown): boolean => (error as Error).name === 'ClosedPipe'

const leftOf = (n: number): string => `${counted(n)} ${n === 1 ? 'row is' : 'rows are'} left`

function sentenceOf({ kind }: Job, { done, already, before, seconds }: Performed): string {
  const parts = [
    `${amount(done, kind.things)} ${kind.done} in ${lasting(seconds)}`,
    ...(already > 0 ? [`${counted(already)} ${already === 1 ? 'was' : 'were'} there already`] : []),
    ...(before > 0 ? [`${counted(before)} ${before === 1 ? 'was' : 'were'} done before`] : []),
  ]
  return `${parts.join('; ')}.`
}

/** Where rows are, and one way to go on, never two: a row that is sent from both files goes out twice. */
function whereOf(failed: number, file: string): string {
  const right = `They are in ${file}, each with what was wrong. Put right the rows in ${basename(file)} and give that file`
  return failed > 0 ? `${right}; or run this command again to try them as they are - not both.` : `${right}.`
}

/** What went wrong on the way, and where the rows are. */
async function told({ context, kind }: Job, { failed, invalid, unknown, failedFile, firstFailure }: Performed): Promise<void> {
  const { notes } = context
  if (failed > 0) await notes.warn(`${amount(failed, kind.things)} failed; the first: ${firstFailure?.message ?? ''}`)
  if (invalid > 0) await notes.warn(`${counted(invalid)} ${invalid === 1 ? 'row was' : 'rows were'} not sent.`)
  if (failedFile !== undefined) await notes.note(whereOf(failed, failedFile))
  if (unknown > 0)
    await notes.warn(
      `Of ${amount(unknown, kind.things)} nobody can say whether ${unknown === 1 ? 'it' : 'they'} went through: not sent again. ${kind.endpoint.risk === 'spends' ? 'Find out: parley ops reconcile.' : ''}`.trimEnd(),
    )
}

/** Nothing was done at all: the run fails as its rows did. */
async function failureOf({ context, kind, checked }: Job, it: Performed): Promise<unknown> {
  const { message } = it.stopped === undefined ? ({ message: '' } as Error) : (it.stopped as Error)
  const keep = it.failedFile === undefined ? '' : ` They are in ${it.failedFile}.`
  if (context.out.settings.form === 'ndjson')
    await context.world.streams.stdout.write(`${JSON.stringify({ type: 'error', message: message || (it.firstFailure?.message ?? '') })}\n`)
  if (it.stopped !== undefined) return it.stopped
  if (it.unknown > 0)
    return new ClientFailure({
      exit: 'unknown',
      code: 'outcome_unknown',
      message: `Whether ${amount(it.unknown, kind.things)} went through is not known.`,
      hint: 'They are not sent again before it is known: parley ops reconcile, then the same command.',
      next: ['parley ops reconcile'],
    })
  const { firstFailure: first } = it
  return new ClientFailure({
    exit: first?.exit === 'conflict' ? 'conflict' : 'rejected',
    code: first?.code ?? 'rejected',
    message: `None of the ${counted(checked.rows)} rows was accepted; the first: ${first?.message ?? 'it could not be sent'}`,
    ...(first?.status !== undefined && { status: first.status }),
    hint: `${first?.hint ?? 'Put the rows right.'}${keep}`,
  })
}
