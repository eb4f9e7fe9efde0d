import { isInProgress } from '../../../client/journal/open-operations.ts'
import type { ProcessOwner } from '../../../node/process-identity.ts'
import type { CheckResult, SendPlan } from './bulk-job.ts'
import { formatRowKey, parseRowKey } from './content-hash.ts'
import { type EarlierSends, recipientKey } from './earlier-sends.ts'
import type { ProgressFile } from './progress-file.ts'
import type { RowOperation } from './row-operation.ts'
import { rowColumn } from './rows/column-mapping.ts'
import type { Row } from './rows/read-rows.ts'

/** Maximum number of recipients that are named. */
const maxRecipients = 10

interface SendPlanOptions {
  readonly operation: RowOperation
  readonly checkResult: CheckResult
  readonly progress: ProgressFile
  readonly earlierSends: EarlierSends | undefined
  /** Rows that are skipped in any case: they are counted as such only. */
  readonly isSkipped: (row: number) => boolean
  readonly resend: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  readonly within: number
  /** Whether this is a dry run, which writes nothing. */
  readonly isDry: boolean
  readonly owner: ProcessOwner
}

/** Creates the plan. Rows that are done in the progress file are added to the earlier sends. */
export function createSendPlan({
  operation,
  checkResult,
  progress,
  earlierSends,
  isSkipped,
  resend,
  now,
  within,
  isDry,
  owner,
}: SendPlanOptions): SendPlan {
  const { numbers } = checkResult
  // Why a row is skipped: 1 if the content was sent before, 2 if an operation with it is unresolved.
  const marks = new Uint8Array(earlierSends ? checkResult.rows : 0)
  const names: string[] = []
  let [reached, repeated, held, inProgress] = [0, 0, 0, 0]
  const keyOfRow = (row: number): string => recipientKey(numbers.numberOf(row) ?? '', numbers.contentOf(row))
  const doneInFile = new Set<string>()
  for (let row = 0; earlierSends && row < checkResult.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checkResult.isBad(row)) continue
    if (!progress.isFinished(row) || progress.stateOf(row) === 'already') continue
    // If a number may occur in several rows, a done row does not mean that the next one is done.
    if (operation.allowsDuplicates) doneInFile.add(keyOfRow(row))
    // Version 0.1 recorded rows without their content.
    if (earlierSends.sentIndex.at(phone, numbers.contentOf(row)) === undefined)
      earlierSends.sentIndex.add({ phone, ...numbers.contentOf(row) }, Date.parse(progress.head.at))
  }
  for (let row = 0; earlierSends && row < checkResult.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checkResult.isBad(row) || progress.isFinished(row) || isSkipped(row)) continue
    const at = earlierSends.sentIndex.at(phone, numbers.contentOf(row))
    if (at !== undefined && at >= now - within && !(operation.allowsDuplicates && doneInFile.has(keyOfRow(row)))) {
      if (!resend) {
        markReached(row, phone)
        continue
      }
      repeated += 1
    }
    const open = earlierSends.findOpen(phone, numbers.contentOf(row), progress.head.nonce)
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
    findConcurrent: (row, key) =>
      (numbers.numberOf(row) && earlierSends?.concurrent?.find(keyOfRow(row), key)) || undefined,
    settleConcurrent(row, { id }, at) {
      const state = earlierSends?.concurrent?.stateOf(id) ?? 'open'
      const phone = numbers.numberOf(row)
      if (phone === undefined || state !== 'done') return state
      earlierSends?.sentIndex.add({ phone, ...numbers.contentOf(row) }, at)
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
      if (phone !== undefined) earlierSends?.sentIndex.add({ phone, ...numbers.contentOf(row.at) }, at)
      const original = parseRowKey(operation.target, rowKeyOf(row))
      if (original) earlierSends?.sentIndex.add(original, at)
    },
    keyOf(row) {
      const original = parseRowKey(operation.target, rowKeyOf(row))
      const phone = numbers.numberOf(row.at)
      if (original) return formatRowKey(operation.target, original)
      return phone === undefined ? '' : formatRowKey(operation.target, { phone, ...numbers.contentOf(row.at) })
    },
    flush: () => earlierSends?.sentIndex.flush(),
    close: () => {
      if (!isDry) earlierSends?.sentIndex.close()
    },
  }
}
