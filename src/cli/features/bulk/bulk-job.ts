import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import { formatDuration } from '../../../contract/values/duration.ts'
import type { Context } from '../../program/context.ts'
import type { Billing } from '../../program/operations/budget.ts'
import type { Source } from '../../program/terminal/streams.ts'
import { formatCount } from './progress-bar.ts'
import type { ProgressFile } from './progress-file.ts'
import type { Problem, RowOperation } from './row-operation.ts'
import type { ColumnTarget, Mapping } from './rows/column-mapping.ts'
import type { PhoneIndex } from './rows/phone-index.ts'
import type { Row, RowEncoding, RowFormat } from './rows/read-rows.ts'
import type { RowSource } from './rows/row-source.ts'

/** Command-line options of every command that processes rows. */
export interface RowOptions {
  readonly file: string
  /** Standard input, if part of it was already read. */
  readonly stdin?: Source | undefined
  readonly format?: RowFormat | undefined
  readonly map: readonly string[]
  /** Country of numbers without a country code. */
  readonly country?: string | undefined
  readonly failed?: string | undefined
  readonly skipInvalid: boolean
  /** Whether to send rows again that an earlier run or another file already sent. */
  readonly resend: boolean
  /** Milliseconds within which the same content is not sent to a recipient again. */
  readonly within: number
}

/** What a dry run could not read, and why. */
export interface UnreadFacts {
  readonly facts: string[]
  error?: Error
}

/** The fact of `UnreadFacts` without which the cost is not known. */
export const costFact = 'the cost'

/** A bulk run whose rows are read, checked and compared with the progress file, before anything is sent. */
export interface BulkJob {
  readonly context: Context
  readonly operation: RowOperation
  readonly flags: RowOptions
  readonly source: RowSource
  readonly encoding: RowEncoding
  readonly mapping: Mapping
  readonly checkResult: CheckResult
  readonly progress: ProgressFile
  readonly plan: SendPlan
  /** Returns whether this process still holds the lock of the progress file. */
  readonly isLocked: () => boolean
  /** Number of valid rows that are skipped, because their recipients have opted out. */
  readonly optedOut: number
  /** Number of rows to send that wait on the platform, because the contact hours of their recipients are closed. */
  readonly outsideHours: number
  /** Returns whether the recipient of a row has opted out. */
  isOptedOut(row: number): boolean
  /** Number of rows this run sends: valid rows that are not done, at most `--limit`. */
  readonly todo: number
  /** Returns whether a row is valid, not done, and not skipped. */
  isToSend(row: number): boolean
  /** Prices of the platform and unit of the balance; undefined if the rows cost nothing, or they could not be read. */
  readonly billing?: Billing | undefined
  /** Price of all rows of this run in USD; undefined if it is not known or was not needed. */
  readonly costUsd?: number | undefined
  /** What could not be read; undefined unless it is a dry run. */
  readonly unread?: UnreadFacts | undefined
  /** Budget of the rows, if `--budget` is passed. */
  readonly budget?: RowsBudget | undefined
}

/**
 * Joins the problems of a row to one text, for the error column of a file of failed rows and for sentences. The wording is
 * free.
 */
export const joinProblems = (problems: readonly Problem[]): string =>
  problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ')

/**
 * Formats an error as one cell: the message of the platform and the affected fields. It is in the file of failed rows and in events
 * of ndjson, for people: scripts read the status beside it.
 */
export const errorText = ({ message, details }: ClientFailure): string =>
  [
    message,
    ...details
      .filter((it) => it.message !== message)
      .map((it) => (it.path === '' ? it.message : `${it.path}: ${it.message}`)),
  ].join(' ')

/** Returns how many problems are not listed, and the number of each reason; empty if all are listed. */
export function problemSummary({ problems, problemCount, reasons }: BulkJob['checkResult']): string {
  if (problemCount <= problems.length) return ''
  return `Only the first ${problems.length} of ${formatCount(problemCount)} problems are listed. ${reasonsText(reasons)}`
}

/** Returns the number of problems of each reason, the most frequent first. */
export function reasonsText(reasons: ReadonlyMap<string, number>): string {
  const sorted = [...reasons].sort(([, one], [, other]) => other - one)
  return `By reason: ${sorted.map(([reason, n]) => `${reason} (${formatCount(n)})`).join('; ')}.`
}

/** Maximum number of invalid rows that a question names. */
const maxNamedRows = 3

/**
 * Returns a sentence that names --country if it could be what invalid numbers lack, with a space before it; otherwise ''. It
 * recognizes the problem by the words of `describeInvalidNumber` (phone-number.ts): both change together.
 */
export const countryHint = ({ checkResult: { reasons }, flags }: BulkJob): string =>
  flags.country === undefined && [...reasons.keys()].some((it) => /: no (?:plus sign|country code)$/.test(it))
    ? ' If the numbers without a country code are of one country, pass --country <code>.'
    : ''

/** Returns how many rows repeat what their recipient was sent before, which --resend allows, in a sentence; empty if none do. */
export function repeatedRowsText({ plan, todo, operation, flags }: BulkJob): string {
  const { repeated } = plan
  // Without a hint for --resend, the rows send nothing to anybody.
  if (repeated === 0 || operation.resendHint === '') return ''
  const rows = `${formatCount(repeated)} of ${formatCount(todo)} ${operation.nouns[todo === 1 ? 0 : 1]}`
  return `${rows} ${repeated === 1 ? 'repeats' : 'repeat'} what the recipient was sent in the last ${formatDuration(flags.within / 1000)}.`
}

/** A row that is not sent because its recipient has opted out. */
export interface SkippedRow {
  readonly line: number
  readonly phone_number: string
}

/** Maximum number of skipped rows that a result lists, and that a sentence names. */
export const maxSkippedRows = { listed: 20, named: 3 } as const

/** Returns the first rows of a file whose recipients have opted out. */
export function optedOutRows({ checkResult: { rows, numbers }, isOptedOut }: BulkJob): SkippedRow[] {
  const skipped: SkippedRow[] = []
  for (let row = 0; row < rows && skipped.length < maxSkippedRows.listed; row++)
    if (isOptedOut(row)) skipped.push({ line: numbers.lineOf(row), phone_number: numbers.numberOf(row) ?? '' })
  return skipped
}

/** Returns how many rows are skipped because their recipients must not be contacted, in a sentence; empty if none are. */
export function optedOutText({ optedOut, checkResult: { rows } }: Pick<BulkJob, 'optedOut' | 'checkResult'>): string {
  if (optedOut === 0) return ''
  return `${formatCount(optedOut)} of ${formatCount(rows)} skipped: ${formatCount(optedOut)} opted out.`
}

/** Returns how many rows wait because the contact hours of their recipients are closed, in a sentence; empty if none do. */
export function outsideHoursText({ outsideHours, todo }: Pick<BulkJob, 'outsideHours' | 'todo'>): string {
  if (outsideHours === 0) return ''
  const what = `${formatCount(outsideHours)} of ${formatCount(todo)} outside their contact hours`
  return `${what}: ${outsideHours === 1 ? 'it waits' : 'they wait'} on the platform until these open.`
}

/** Returns which rows of a file are skipped and why, in a sentence; empty if all are valid. */
export function skippedRowsText({ checkResult, source }: Pick<BulkJob, 'checkResult' | 'source'>): string {
  const { bad, rows, problems } = checkResult
  if (bad === 0) return ''
  const lines = [...new Set(problems.map(({ line }) => line))].slice(0, maxNamedRows)
  const named = lines.map(
    (line) => `line ${line} (${joinProblems(problems.filter((it) => it.line === line)).replace(/\.$/, '')})`,
  )
  const more = bad - lines.length
  return `${formatCount(bad)} of ${formatCount(rows)} rows of ${source.name} ${bad === 1 ? 'is' : 'are'} skipped: ${[...named, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ')}.`
}

/** Keeps the cost of a run within `--budget`. */
export interface RowsBudget {
  /**
   * Reserves the price of a row before it is sent, and returns it. @throws ClientFailure `conflict` if the budget does
   * not suffice
   */
  reserve(body: Readonly<Record<string, unknown>>): number
  /** Replaces a reserved price by what the row cost. */
  settle(priceUsd: number, costUsd: number): void
}

/** Result of checking all rows before any of them is sent. */
export interface CheckResult {
  readonly rows: number
  /** Number of invalid rows. */
  readonly bad: number
  /** Whether a row has a mask instead of a credential. */
  readonly hasMasks: boolean
  /** The first problems with their line, at most `maxProblems`. */
  readonly problems: readonly (Problem & { readonly line: number })[]
  /** Number of all problems; a row may have several. */
  readonly problemCount: number
  /**
   * Reasons of all problems without the values of the rows, with their number; at most `maxReasons`. A dry run prints them as
   * JSON.
   */
  readonly reasons: ReadonlyMap<string, number>
  readonly isBad: (row: number) => boolean
  readonly numbers: PhoneIndex
  /** Columns and their targets; of objects the union of all keys, at most `maxColumns`. */
  readonly columns: ReadonlyMap<string, ColumnTarget>
  /** Bodies of the first valid rows. */
  readonly sample: readonly Readonly<Record<string, unknown>>[]
  /** SHA-256 of the whole input. It is part of the name of the progress file, and an approved plan names it. */
  readonly hash: string
  /** SHA-256 hash of the bodies of all valid rows, if it was computed: where a person approves the requests. */
  readonly requestsHash?: string
}

/** Decides which rows of a file are sent, in view of what other files and commands have sent. */
export interface SendPlan {
  /** Returns whether a row is skipped because its recipient was sent the same content. */
  isAlreadySent(row: number): boolean
  /** Returns whether a row is skipped because an operation with the same content has an unknown outcome. */
  isUnresolved(row: number): boolean
  readonly alreadySent: number
  /** Rows that --resend sends although the recipient was sent the same content. */
  readonly repeated: number
  readonly unresolved: number
  /** The unresolved ones that another process sends at the moment. */
  readonly inProgress: number
  /** The first recipients that are skipped because they were sent the same content. */
  readonly recipients: readonly string[]
  /**
   * Returns the operation of another process that sends the same content to the recipient of a row at the moment. The
   * row is sent under `key` right after that, if there is none.
   */
  findConcurrent(row: number, key: string): JournalEntry | undefined
  /**
   * Counts a row that was not sent because of a concurrent operation, if that one was carried out. Returns its state.
   */
  settleConcurrent(row: number, entry: JournalEntry, at: number): JournalEntry['state']
  /** Records that a row is done, and the row of the original file if its key names one. */
  recordDone(row: Row, at: number): void
  /** Returns the key of a row in a file of failed rows: its own, or that of the original file. */
  keyOf(row: Row): string
  flush(): void
  close(): void
}
