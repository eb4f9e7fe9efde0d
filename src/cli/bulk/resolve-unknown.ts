import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Journal, JournalEntry } from '../../client/journal/journal.ts'
import type { Context } from '../context.ts'
import type { Ledger } from './ledger.ts'
import type { RowOperation } from './row-operation.ts'

/** Rows of an earlier run that were cut off on their way, or whose answer said nothing. */
export interface UnknownRows {
  /** Rows nobody can say anything of: they are not sent again. */
  readonly unknown: ReadonlySet<number>
  /** Rows that are asked for again under the key they had. */
  readonly repeated: ReadonlySet<number>
}

/** The key a row that was begun goes out under: who repeats it gets the answer to it. */
export const rowIdempotencyKey = (ledger: Ledger, row: number): string =>
  `${ledger.head.nonce}-${ledger.runOf(row)}-${row}`

/**
 * Finds out what became of rows that were begun and never ended. A platform of ours is asked under their keys; any other one would do them again, and what
 * it does not tell by itself stays unknown. What is settled is written into the ledger.
 */
export async function resolveUnknownRows(
  context: Context,
  operation: RowOperation,
  ledger: Ledger,
): Promise<UnknownRows> {
  const rows: number[] = []
  for (let row = 0; row < ledger.head.rows && rows.length < ledger.count('begun') + ledger.count('unknown'); row++)
    if (['begun', 'unknown'].includes(ledger.stateOf(row))) rows.push(row)
  const unknown = new Set<number>()
  const repeated = new Set<number>()
  if (rows.length === 0 || !operation.usesIdempotencyKeys) return { unknown, repeated }
  if (operation.endpoint.risk === 'spends') await resolveSpends(context, operation, ledger, rows, { unknown, repeated })
  else {
    const isIdempotent = await context.supports('idempotency')
    for (const row of rows) {
      if (isIdempotent) repeated.add(row)
      else {
        unknown.add(row)
        ledger.end(row, 'unknown')
      }
    }
  }
  ledger.flush()
  return { unknown, repeated }
}

/** The journal of spends knows whether a row left at all, and what was answered. */
async function resolveSpends(
  context: Context,
  operation: RowOperation,
  ledger: Ledger,
  rows: readonly number[],
  unknownRows: { readonly unknown: Set<number>; readonly repeated: Set<number> },
): Promise<void> {
  const journal = await context.journal()
  const keyed = new Map(rows.map((row) => [rowIdempotencyKey(ledger, row), row]))
  const entries = new Map<number, JournalEntry[]>()
  for (const it of journal.list({ keys: new Set(keyed.keys()) })) {
    const row = keyed.get(it.idempotencyKey) as number
    entries.set(row, [...(entries.get(row) ?? []), it])
  }
  let isIdempotent: boolean | undefined
  for (const row of rows) {
    const own = entries.get(row) ?? []
    const open = own.filter(({ state }) => state === 'open' || state === 'unknown')
    if (own.some(({ state }) => state === 'done')) ledger.end(row, 'done')
    // Without an intent it never left; refused it may go again.
    else if (open.length === 0) continue
    else if ((isIdempotent ??= await context.supports('idempotency')))
      await recallRow(context, operation, ledger, journal, row, open, unknownRows)
    else {
      unknownRows.unknown.add(row)
      ledger.end(row, 'unknown')
    }
  }
}

async function recallRow(
  context: Context,
  operation: RowOperation,
  ledger: Ledger,
  journal: Journal,
  row: number,
  open: readonly JournalEntry[],
  unknownRows: { readonly unknown: Set<number>; readonly repeated: Set<number> },
): Promise<void> {
  const { input, idempotencyKey } = open[0] as JournalEntry
  const settle = (state: 'done' | 'refused', reconciled: string): void => {
    for (const it of open) journal.recordOutcome(it.id, state, { reconciled })
  }
  try {
    await context.call(operation.endpoint, input as never, { idempotencyKey, isOutcomeQuery: true })
    ledger.end(row, 'done')
    settle('done', `The ${operation.nouns[0]} was processed.`)
  } catch (error) {
    if (
      !(error instanceof ClientFailure) ||
      error.status === undefined ||
      error.exit === 'auth' ||
      error.exit === 'rate_limited'
    )
      throw error
    if (error.code === 'idempotency_unknown') {
      // It may be on its way still: under the same key it is done once.
      unknownRows.repeated.add(row)
      settle('refused', `The platform has no such ${operation.nouns[0]}. It is sent again under the same key.`)
    } else if (error.exit !== 'unknown' && !error.code.startsWith('idempotency_'))
      settle('refused', `The platform refused the ${operation.nouns[0]}.`)
    else {
      unknownRows.unknown.add(row)
      ledger.end(row, 'unknown')
    }
  }
}
