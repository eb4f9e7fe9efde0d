import { formatRowKey, parseRowKey } from './content-hash.ts'
import type { Ledger } from './ledger.ts'
import type { RecipientHistory } from './recipient-history.ts'
import type { RowOperation } from './row-operation.ts'
import type { CheckResult } from './rows/check-rows.ts'
import { rowColumn } from './rows/column-mapping.ts'
import type { Row } from './rows/read-rows.ts'

/** Which rows of a file are sent, seen beside what every other file and command has sent. */
export interface SendPlan {
  /** Whether its recipient was sent the same content, and it is left out. */
  isAlreadySent(row: number): boolean
  /** Whether an operation of the same content has no known outcome, so that it is left out. */
  isUnresolved(row: number): boolean
  readonly alreadySent: number
  readonly unresolved: number
  /** The first recipients that are left out because they were reached. */
  readonly recipients: readonly string[]
  /** Keeps that a row is done, with the row of the original file that it stands for. */
  recordDone(row: Row, at: number): void
  /** What tells a row in a file of failed rows: its own key, or that of the original file. */
  keyOf(row: Row): string
  flush(): void
  close(): void
}

/** How many recipients are named. */
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
  /** Whether nothing may be written. */
  readonly isDry: boolean
}

export function createSendPlan({
  operation,
  checkResult,
  ledger,
  history,
  resend,
  now,
  within,
  isDry,
}: SendPlanOptions): SendPlan {
  const { numbers } = checkResult
  const marks = new Uint8Array(history ? checkResult.rows : 0)
  const names: string[] = []
  let [reached, held] = [0, 0]
  const recipientKey = (row: number): string =>
    `${numbers.numberOf(row)} ${numbers.contentOf(row).high} ${numbers.contentOf(row).low}`
  const isDone = (row: number): boolean => ['done', 'already'].includes(ledger.stateOf(row))
  const doneInFile = new Set<string>()
  for (let row = 0; history && row < checkResult.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checkResult.isBad(row)) continue
    if (ledger.stateOf(row) !== 'done') continue
    // Where a number may stand in several rows, one row that is done says nothing of the next.
    if (operation.allowsDuplicates) doneInFile.add(recipientKey(row))
    // Version 0.1 remembered rows and not their content.
    if (history.sentIndex.at(phone, numbers.contentOf(row)) === undefined)
      history.sentIndex.add({ phone, ...numbers.contentOf(row) }, Date.parse(ledger.head.at))
  }
  for (let row = 0; history && row < checkResult.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checkResult.isBad(row) || isDone(row)) continue
    const at = resend ? undefined : history.sentIndex.at(phone, numbers.contentOf(row))
    if (at !== undefined && at >= now - within && !(operation.allowsDuplicates && doneInFile.has(recipientKey(row)))) {
      marks[row] = 1
      reached += 1
      if (names.length < maxRecipients) names.push(phone)
    } else if (history.isOpen(phone, numbers.contentOf(row), ledger.head.nonce)) {
      marks[row] = 2
      held += 1
    }
  }
  const rowKeyOf = (row: Row): unknown => {
    const at = row.columns.indexOf(rowColumn)
    return at < 0 ? undefined : row.values[at]
  }
  return {
    isAlreadySent: (row) => marks[row] === 1,
    isUnresolved: (row) => marks[row] === 2,
    alreadySent: reached,
    unresolved: held,
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
