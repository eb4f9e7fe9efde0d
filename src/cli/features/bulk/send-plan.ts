import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import { isInProgress } from '../../../client/journal/open-operations.ts'
import type { ProcessOwner } from '../../../node/process-identity.ts'
import { formatRowKey, parseRowKey } from './content-hash.ts'
import type { Ledger } from './ledger.ts'
import { type RecipientHistory, recipientKey } from './recipient-history.ts'
import type { RowOperation } from './row-operation.ts'
import type { CheckResult } from './rows/check-rows.ts'
import { rowColumn } from './rows/column-mapping.ts'
import type { Row } from './rows/read-rows.ts'

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

/** Maximum number of recipients that are named. */
const maxRecipients = 10

export interface SendPlanOptions {
  readonly operation: RowOperation
  readonly checkResult: CheckResult
  readonly ledger: Ledger
  readonly history: RecipientHistory | undefined
  readonly resend: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  readonly within: number
  /** Whether this is a dry run, which writes nothing. */
  readonly isDry: boolean
  readonly owner: ProcessOwner
}

/** Creates the plan. Rows that are done in the ledger are added to the recipient history. */
export function createSendPlan({
  operation,
  checkResult,
  ledger,
  history,
  resend,
  now,
  within,
  isDry,
  owner,
}: SendPlanOptions): SendPlan {
  const { numbers } = checkResult
  const marks = new Uint8Array(history ? checkResult.rows : 0)
  const names: string[] = []
  let [reached, repeated, held, inProgress] = [0, 0, 0, 0]
  const keyOfRow = (row: number): string => recipientKey(numbers.numberOf(row) ?? '', numbers.contentOf(row))
  const isDone = (row: number): boolean => ['done', 'already'].includes(ledger.stateOf(row))
  const doneInFile = new Set<string>()
  for (let row = 0; history && row < checkResult.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checkResult.isBad(row)) continue
    if (ledger.stateOf(row) !== 'done') continue
    // If a number may occur in several rows, a done row does not mean that the next one is done.
    if (operation.allowsDuplicates) doneInFile.add(keyOfRow(row))
    // Version 0.1 recorded rows without their content.
    if (history.sentIndex.at(phone, numbers.contentOf(row)) === undefined)
      history.sentIndex.add({ phone, ...numbers.contentOf(row) }, Date.parse(ledger.head.at))
  }
  for (let row = 0; history && row < checkResult.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checkResult.isBad(row) || isDone(row)) continue
    const at = history.sentIndex.at(phone, numbers.contentOf(row))
    if (at !== undefined && at >= now - within && !(operation.allowsDuplicates && doneInFile.has(keyOfRow(row)))) {
      if (!resend) {
        markReached(row, phone)
        continue
      }
      repeated += 1
    }
    const open = history.findOpen(phone, numbers.contentOf(row), ledger.head.nonce)
    if (!open) continue
    marks[row] = 2
    held += 1
    if (isInProgress(open, owner)) inProgress += 1
  }
  const rowKeyOf = (row: Row): unknown => {
    const at = row.columns.indexOf(rowColumn)
    return at < 0 ? undefined : row.values[at]
  }
  function markReached(row: number, phone: string): void {
    marks[row] = 1
    reached += 1
    if (names.length < maxRecipients) names.push(phone)
  }
  return {
    findConcurrent: (row, key) => (numbers.numberOf(row) && history?.concurrent?.find(keyOfRow(row), key)) || undefined,
    settleConcurrent(row, { id }, at) {
      const state = history?.concurrent?.stateOf(id) ?? 'open'
      const phone = numbers.numberOf(row)
      if (phone === undefined || state !== 'done') return state
      history?.sentIndex.add({ phone, ...numbers.contentOf(row) }, at)
      markReached(row, phone)
      return state
    },
    isAlreadySent: (row) => marks[row] === 1,
    isUnresolved: (row) => marks[row] === 2,
    get alreadySent() {
      return reached
    },
    repeated,
    unresolved: held,
    inProgress,
    recipients: names,
    recordDone(row, at) {
      const phone = numbers.numberOf(row.at)
      if (phone !== undefined) history?.sentIndex.add({ phone, ...numbers.contentOf(row.at) }, at)
      const original = parseRowKey(operation.target, rowKeyOf(row))
      if (original) history?.sentIndex.add(original, at)
    },
    keyOf(row) {
      const original = parseRowKey(operation.target, rowKeyOf(row))
      const phone = numbers.numberOf(row.at)
      if (original) return formatRowKey(operation.target, original)
      return phone === undefined ? '' : formatRowKey(operation.target, { phone, ...numbers.contentOf(row.at) })
    },
    flush: () => history?.sentIndex.flush(),
    close: () => {
      if (!isDry) history?.sentIndex.close()
    },
  }
}
