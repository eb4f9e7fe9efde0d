import type { Checked } from './check.ts'
import { readRowKey, writeRowKey } from './content.ts'
import type { Kind } from './kind.ts'
import type { Ledger } from './ledger.ts'
import { rowColumn } from './mapping.ts'
import type { Progress } from './progress.ts'
import type { Row } from './rows.ts'

/** Which rows of a file are sent, seen beside what every other file and command has sent. */
export interface Plan {
  /** Whether its recipient was sent the same content, and it is left out. */
  isReached(row: number): boolean
  /** Whether an operation of the same content has no known outcome, so that it is left out. */
  isHeld(row: number): boolean
  readonly reached: number
  readonly held: number
  /** The first recipients that are left out because they were reached. */
  readonly names: readonly string[]
  /** Keeps that a row is done, with the row of the original file that it stands for. */
  done(row: Row, at: number): void
  /** What tells a row in a file of failed rows: its own key, or that of the original file. */
  keyOf(row: Row): string
  flush(): void
  close(): void
}

/** How many recipients are named. */
const limit = 10

export interface PlanOptions {
  readonly kind: Kind
  readonly checked: Checked
  readonly ledger: Ledger
  readonly progress: Progress | undefined
  readonly resend: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  readonly within: number
  /** Whether nothing may be written. */
  readonly isDry: boolean
}

export function planRows({ kind, checked, ledger, progress, resend, now, within, isDry }: PlanOptions): Plan {
  const { numbers } = checked
  const marks = new Uint8Array(progress ? checked.rows : 0)
  const names: string[] = []
  let [reached, held] = [0, 0]
  const textOf = (row: number): string => `${numbers.numberOf(row)} ${numbers.contentOf(row).high} ${numbers.contentOf(row).low}`
  const isDone = (row: number): boolean => ['done', 'already'].includes(ledger.stateOf(row))
  const doneHere = new Set<string>()
  for (let row = 0; progress && row < checked.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checked.isBad(row)) continue
    if (ledger.stateOf(row) !== 'done') continue
    // Where a number may stand in several rows, one row that is done says nothing of the next.
    if (kind.allowsTwice) doneHere.add(textOf(row))
    // Version 0.1 remembered rows and not their content.
    if (progress.reached.at(phone, numbers.contentOf(row)) === undefined) progress.reached.add({ phone, ...numbers.contentOf(row) }, Date.parse(ledger.head.at))
  }
  for (let row = 0; progress && row < checked.rows; row++) {
    const phone = numbers.numberOf(row)
    if (phone === undefined || checked.isBad(row) || isDone(row)) continue
    const at = resend ? undefined : progress.reached.at(phone, numbers.contentOf(row))
    if (at !== undefined && at >= now - within && !(kind.allowsTwice && doneHere.has(textOf(row)))) {
      marks[row] = 1
      reached += 1
      if (names.length < limit) names.push(phone)
    } else if (progress.isOpen(phone, numbers.contentOf(row), ledger.head.nonce)) {
      marks[row] = 2
      held += 1
    }
  }
  const carried = (row: Row): unknown => {
    const at = row.columns.indexOf(rowColumn)
    return at < 0 ? undefined : row.values[at]
  }
  return {
    isReached: (row) => marks[row] === 1,
    isHeld: (row) => marks[row] === 2,
    reached,
    held,
    names,
    done(row, at) {
      const phone = numbers.numberOf(row.at)
      if (phone !== undefined) progress?.reached.add({ phone, ...numbers.contentOf(row.at) }, at)
      const original = readRowKey(kind.target, carried(row))
      if (original) progress?.reached.add(original, at)
    },
    keyOf(row) {
      const original = readRowKey(kind.target, carried(row))
      const phone = numbers.numberOf(row.at)
      if (original) return writeRowKey(kind.target, original)
      return phone === undefined ? '' : writeRowKey(kind.target, { phone, ...numbers.contentOf(row.at) })
    },
    flush: () => progress?.reached.flush(),
    close: () => {
      if (!isDry) progress?.reached.close()
    },
  }
}
