// From a file to its result: check all rows, ask, send (run-job.ts), print (print-summary.ts). Nothing is sent before every
// row is checked.

import { createHash, randomUUID } from 'node:crypto'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { approvalClass } from '../../../contract/endpoint/approval-class.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { stringifyJson } from '../../../node/json.ts'
import { findLiveChange } from '../../program/approvals/live-changes.ts'
import { bulkFolder } from '../../program/configuration/purge-bulk-progress.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import { askConfirmation, confirmTerms, type Terms } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { numberingCountry } from '../../program/input/phone-number.ts'
import { readBilling } from '../../program/operations/budget.ts'
import {
  type BulkJob,
  type CheckResult,
  costFact,
  countryHint,
  joinProblems,
  optedOutText,
  outsideHoursText,
  problemSummary,
  type RowOptions,
  repeatedRowsText,
  skippedRowsText,
  type UnreadFacts,
} from './bulk-job.ts'
import { openEarlierSends } from './earlier-sends.ts'
import { failedRows, removeFailedFile, requireUsableFailedFile, unchangedFailedFile } from './failed-rows.ts'
import { findProgress, type ProgressPath, unfinishedJobText } from './job-progress.ts'
import { findOptedOutRows } from './opted-out-rows.ts'
import { countOutsideHours } from './outside-hours-rows.ts'
import { mappingSentence, showPreview } from './preview-rows.ts'
import { printDryRun, printNothingToDo, printSummary } from './print-summary.ts'
import { formatCount } from './progress-bar.ts'
import { openProgressFile, type ProgressFile } from './progress-file.ts'
import type { RowOperation } from './row-operation.ts'
import { checkRows, describeProblems } from './rows/check-rows.ts'
import { chooseColumns, readHeader } from './rows/choose-columns.ts'
import { createMapping, type Mapping } from './rows/column-mapping.ts'
import { detectEncoding, type RowEncoding, readRows } from './rows/read-rows.ts'
import { openRows, type RowSource } from './rows/row-source.ts'
import { openRowsBudget, sumRowPrices } from './rows-budget.ts'
import { runJob } from './run-job.ts'
import { createSendPlan } from './send-plan.ts'

/**
 * Builds the confirmation that a command requires before rows are sent. Undefined requires none. `isReread` is true
 * after a person was asked: then it reads everything again that was read before the rows.
 */
type BuildConfirmation = (job: BulkJob, isReread: boolean) => Promise<Terms | undefined>

/**
 * Carries out an operation for every row of a file: checks all rows, asks for confirmation, sends them and reports each
 * outcome. A file that changes while a question is open is checked and asked about again.
 */
export async function runRows(
  context: Context,
  operation: RowOperation,
  options: RowOptions,
  buildConfirmation: BuildConfirmation,
): Promise<ExitName | undefined> {
  const { country } = options
  const flags = country === undefined ? options : { ...options, country: await numberingCountry(country) }
  for (;;) {
    const exit = await runFile(context, operation, flags, buildConfirmation)
    if (exit !== 'changed') return exit
    await context.notes.warn(`${flags.file} changed while the question was open. Its rows are checked again.`)
  }
}

async function runFile(
  context: Context,
  operation: RowOperation,
  flags: RowOptions,
  buildConfirmation: BuildConfirmation,
): Promise<ExitName | 'changed' | undefined> {
  const { system } = context
  const folder = bulkFolder(system)
  const source = await openRows(system, flags.file, folder, flags.stdin)
  try {
    const encoding = await detectEncoding(source, flags.format)
    const mapping = createMapping(
      operation.fields,
      await chooseColumns(context, operation, await readHeader(source, encoding), flags.map),
    )
    const checkResult = await checkAll(context, { source, encoding, mapping, operation, country: flags.country })
    if (system.signal.aborted) return interruptedExit(system.signal)
    if (checkResult.sample[0] && context.globals.printCurl)
      return void (await previewRequest(context, operation.endpoint, checkResult.sample[0]))
    const { file, others } = await findProgressPath(context, operation, folder, checkResult)
    const isDry = context.globals.dryRun === true
    const lock = isDry
      ? undefined
      : lockWork(
          `${file}.lock`,
          system,
          (it) => `${it} is sending the rows of ${source.name} to the same target. Nothing was sent.`,
        )
    try {
      const head = {
        nonce: randomUUID(),
        endpoint: operation.endpoint.name,
        target: operation.target,
        file: source.name,
        rows: checkResult.rows,
        at: currentTime(context),
      }
      const progress = openProgressFile({
        file,
        head,
        reset: flags.resend,
        durable: operation.endpoint.risk === 'spends',
      })
      const unread: UnreadFacts | undefined = isDry ? { facts: [] } : undefined
      const earlierSends = await readFact(unread, 'which recipients were sent the same content before', undefined, () =>
        openEarlierSends(context, operation, folder, flags.within),
      )
      const optedOutRows = await readFact(unread, 'which have opted out', { has: () => false }, () =>
        findOptedOutRows(context, operation, checkResult),
      )
      const isOptedOut = (row: number): boolean =>
        optedOutRows.has(row) && !checkResult.isBad(row) && !progress.isFinished(row)
      const plan = createSendPlan({
        operation,
        checkResult,
        progress,
        earlierSends,
        isSkipped: isOptedOut,
        resend: flags.resend,
        within: flags.within,
        now: system.now(),
        isDry,
        owner: system,
      })
      const isToSend = (row: number): boolean =>
        !checkResult.isBad(row) &&
        !isOptedOut(row) &&
        !plan.isAlreadySent(row) &&
        !plan.isUnresolved(row) &&
        !progress.isFinished(row)
      const outsideHours = await readFact(unread, 'how many rows would wait for the contact hours', 0, () =>
        countOutsideHours(context, operation, checkResult, isToSend),
      )
      const job: BulkJob = {
        context,
        operation,
        flags,
        source,
        encoding,
        mapping,
        checkResult,
        progress,
        plan,
        isLocked: () => lock?.isHeld() ?? true,
        optedOut: countRows(checkResult, isOptedOut),
        isOptedOut,
        outsideHours,
        todo: countTodo(context, checkResult, isToSend),
        isToSend,
        unread,
      }
      const isLacking = (row: number): boolean => !checkResult.isBad(row) && !optedOutRows.has(row)
      const unfinished = flags.resend ? '' : unfinishedJobText(others, job, isLacking)
      if (unfinished !== '') await context.notes.note(unfinished)
      if (!isDry) operation.onOpened?.(job)
      try {
        return await confirmAndRun(job, buildConfirmation, isDry)
      } finally {
        plan.close()
        progress.close()
      }
    } finally {
      lock?.release()
    }
  } finally {
    source.close()
  }
}

/** The numbers of the rows to send. */
function* numbersToSend({ checkResult: { rows, numbers }, isToSend }: BulkJob): Iterable<string> {
  for (let row = 0; row < rows; row++) {
    const number = isToSend(row) ? numbers.numberOf(row) : undefined
    if (number !== undefined) yield number
  }
}

async function confirmAndRun(
  job: BulkJob,
  buildConfirmation: BuildConfirmation,
  isDry: boolean,
): Promise<ExitName | 'changed' | undefined> {
  const { context, operation, checkResult, source, todo } = job
  await operation.warnOf?.(numbersToSend(job))
  if (isDry) return printDryRun(await readFact(job.unread, costFact, job, () => withCost(job, true)))
  const pauses = context.pauses()
  const isChanged = (): boolean => context.pauses() > pauses && !source.hasContent(checkResult.hash)
  requireUsableFailedFile(context.system, job.flags.failed, unchangedFailedFile(job.progress))
  if (checkResult.bad > 0 && !job.flags.skipInvalid) await confirmSkipInvalid(job)
  if (isChanged()) return 'changed'
  if (todo === 0)
    return printNothingToDo(
      job,
      checkResult.bad > 0 ? await writeBadRows(job, job.flags.resend ? undefined : job.progress) : undefined,
    )
  let priced = await withCost(job, context.globals.yes !== true)
  let budget = await openRowsBudget(priced)
  const build = async (isReread: boolean): Promise<Terms | undefined> => {
    const built = await buildConfirmation(priced, isReread)
    const before = [skippedRowsText(job), optedOutText(job), outsideHoursText(job), repeatedRowsText(job)]
      .filter((it) => it !== '')
      .join(' ')
    return built && before !== ''
      ? { ...built, question: `${before} ${built.question}`, refusalMessage: `${before} ${built.refusalMessage}` }
      : built
  }
  const terms = await build(false)
  if (approvalClass(operation.endpoint, {}) !== 'none')
    await context.approvals.requirePlan(async () => {
      // What every row has: the campaign to which leads are added.
      const live = await findLiveChange(context, operation.endpoint, operation.bodyOf({}, {}))
      const spends = operation.endpoint.risk === 'spends'
      const question = terms?.question ?? `${operation.progressVerb} ${formatCount(todo)} ${operation.nouns[1]}?`
      return {
        summary: live === undefined ? question : `${question} ${live}`,
        // Stored with the operation that a person approves, and compared by `ops run`: another content would need a new approval.
        content: {
          file: source.name,
          sha256: checkResult.hash,
          columns: Object.fromEntries(checkResult.columns),
          requests_sha256: checkResult.requestsHash ?? null,
          target: operation.target,
          ...(live !== undefined && { live }),
        },
        allows: { [operation.endpoint.name]: spends || live !== undefined ? todo : 0 },
        ...(spends && {
          maximumUsd: (priced.costUsd === undefined ? await withCost(job, true) : priced).costUsd ?? null,
        }),
      }
    })
  if (context.interactive) await showPreview(context, source.name, checkResult, operation)
  else await context.notes.note(mappingSentence(checkResult.columns))
  if (terms)
    await confirmTerms(context, terms, async () => {
      if (isChanged()) return terms
      priced = await withCost(job, true)
      budget = await openRowsBudget(priced)
      return (await build(true)) ?? terms
    })
  if (isChanged()) return 'changed'
  if (context.system.signal.aborted) return interruptedExit(context.system.signal)
  return printSummary(job, await runJob({ ...priced, budget }))
}

/**
 * Adds the prices of the platform, and the price of all rows if `isSummed`. Without a decision or a budget that needs
 * prices, a failure to read them does not stop the run.
 */
async function withCost(job: BulkJob, isSummed: boolean): Promise<BulkJob> {
  const { context, operation } = job
  if (!operation.priceOf) return job
  const reading = readBilling(context)
  const billing = await (isSummed || context.writeSettings.budgetUsd !== undefined
    ? reading
    : reading.catch(() => undefined))
  const priced = { ...job, billing }
  return isSummed ? { ...priced, costUsd: await sumRowPrices(priced) } : priced
}

/**
 * Reads a fact about the rows. A dry run continues without a fact that cannot be read, since there may be no API key and no
 * account; without a connection it reads no further ones.
 */
async function readFact<T>(
  unread: UnreadFacts | undefined,
  fact: string,
  otherwise: T,
  read: () => Promise<T>,
): Promise<T> {
  if (!unread) return read()
  const { error } = unread
  if (!(error instanceof ClientFailure && error.exit === 'connection')) {
    try {
      return await read()
    } catch (caught) {
      unread.error ??= caught as Error
    }
  }
  unread.facts.push(fact)
  return otherwise
}

/** Returns the number of rows for which a condition holds. */
function countRows({ rows }: CheckResult, holds: (row: number) => boolean): number {
  let n = 0
  for (let row = 0; row < rows; row++) if (holds(row)) n++
  return n
}

const currentTime = ({ system }: Context): string => new Date(system.now()).toISOString()

async function checkAll(
  context: Context,
  given: {
    source: RowSource
    encoding: RowEncoding
    mapping: Mapping
    operation: RowOperation
    country: string | undefined
  },
): Promise<CheckResult> {
  const { approvals } = context
  const hashesRequests =
    approvalClass(given.operation.endpoint, {}) !== 'none' &&
    (approvals.origin.approved !== undefined || (await approvals.isRequired()))
  return context.progress.showWhile(`Checking ${given.source.name}`, (setText) =>
    checkRows({
      ...given,
      hashesRequests,
      sendsMasks: context.writeSettings.sendsMasks,
      signal: context.system.signal,
      onProgress: (part, rows) =>
        setText(`Checking ${given.source.name}: ${formatCount(rows)} rows, ${Math.floor(part * 100)} %`),
    }),
  )
}

/** Returns the path of the progress file for a file, target, account and what its recipients get. Running the same command again therefore resumes, also with a later version: the name never changes. */
async function findProgressPath(
  context: Context,
  operation: RowOperation,
  folder: string,
  checkResult: CheckResult,
): Promise<ProgressPath> {
  const { profileName, baseUrl } = await context.settings()
  // Without a key no request is sent in a dry run. In a real run the platform reports the missing key.
  const key = context.globals.dryRun ? await keyOrNone(context) : await (await context.connection()).key()
  const { endpoint, target } = operation
  const parts = [
    checkResult.hash,
    endpoint.name,
    target,
    profileName.value,
    baseUrl.value,
    key === undefined ? '' : keyPrefix(key),
  ]
  const name = createHash('sha256').update(stringifyJson(parts)).digest('hex')
  return findProgress(context, { operation, checkResult, folder, baseUrl: baseUrl.value, name })
}

const keyOrNone = async (context: Context): Promise<string | undefined> =>
  context
    .connection()
    .then((it) => it.key())
    .catch(() => undefined)

function countTodo(context: Context, checkResult: CheckResult, isToSend: BulkJob['isToSend']): number {
  const open = countRows(checkResult, isToSend)
  return Math.min(open, parseCount(context.globals.limit, '--limit') ?? open)
}

/** Asks whether to skip invalid rows. @throws ClientFailure with the first problems unless the user agrees */
async function confirmSkipInvalid(job: BulkJob): Promise<void> {
  const { context, checkResult, source, flags } = job
  const { bad, rows, problems } = checkResult
  const badRowsText = `${formatCount(bad)} of ${formatCount(rows)} rows of ${source.name} ${bad === 1 ? 'is' : 'are'} invalid`
  const details = problems.map(({ line, field, message }) => ({
    path: `line ${line}${field === '' ? '' : `, ${field}`}`,
    message,
  }))
  const others = problemSummary(checkResult)
  if (context.interactive && bad < rows && !context.globals.yes) {
    for (const { path, message } of details) await context.notes.warn(`${path}: ${message}`)
    const hints = `${others}${countryHint(job)}`.trim()
    if (hints !== '') await context.notes.warn(hints)
    if (
      await askConfirmation(
        context,
        `${badRowsText}. Skip ${bad === 1 ? 'it' : 'them'} and save ${bad === 1 ? 'it' : 'them'} to a file to fix?`,
      )
    )
      return
  }
  if (flags.failed !== undefined) {
    // A reset would discard the progress file, and nothing is sent here.
    const file = await writeBadRows(job, flags.resend ? undefined : job.progress)
    if (file !== undefined) await context.notes.note(`They are in ${file}, each with its error.`)
  }
  throw new ClientFailure({
    ...(checkResult.hasMasks
      ? ({ exit: 'conflict', code: 'masked_value' } as const)
      : ({ exit: 'usage', code: 'invalid_rows' } as const)),
    message: `${badRowsText}. Nothing was sent.`,
    details,
    hint: `${others === '' ? '' : `${others} `}Fix the rows${bad < rows ? ', or add --skip-invalid to send the others and save these to a file' : ''}.${countryHint(job)}`,
  })
}

/** Writes the invalid rows to a file, which replaces the one of an earlier run. */
async function writeBadRows(job: BulkJob, progress: ProgressFile | undefined): Promise<string | undefined> {
  const { context, checkResult, source, encoding, flags, plan } = job
  if (progress) await removeFailedFile(context, progress)
  const failed = failedRows(context.system, source, encoding, flags.failed, progress)
  for await (const rows of readRows(source, encoding))
    for (const row of rows)
      if (checkResult.isBad(row.at)) failed.add(row, joinProblems(await describeProblems(row, job)), plan.keyOf(row))
  return failed.close()
}
