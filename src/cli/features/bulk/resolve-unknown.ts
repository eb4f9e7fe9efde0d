import { isAboutKey } from '../../../client/failures/client-failure.ts'
import type { Journal, JournalEntry } from '../../../client/journal/open-operations.ts'
import { idempotencyOf } from '../../../contract/endpoint/capabilities.ts'
import type { Context } from '../../program/context.ts'
import { isKeyRetained, outcomeFailure } from '../../program/operations/resolved-outcome.ts'
import { chargeDetail } from '../../program/operations/run-with-key.ts'
import type { ProgressFile } from './progress-file.ts'
import type { RowOperation } from './row-operation.ts'

/** Rows of an earlier run that were interrupted or got no conclusive response. */
interface UnknownRows {
  /** Rows whose outcome is unknown; they are not sent again. */
  readonly unknown: ReadonlySet<number>
  /** Rows that are sent again under their original key. */
  readonly repeated: ReadonlySet<number>
}

/** Returns the idempotency key of a started row. Repeating the row under this key returns its original response, also with a later version: it never changes. */
export const rowIdempotencyKey = (progress: ProgressFile, row: number): string =>
  `${progress.head.nonce}-${progress.runOf(row)}-${row}`

/**
 * Finds out the outcome of rows that were started and never finished.
 *
 * A platform that supports idempotency is asked under the original keys. Any other platform would carry out the rows
 * again, so they stay unknown. Resolved rows are written to the progress file.
 */
export async function resolveUnknownRows(
  context: Context,
  operation: RowOperation,
  progress: ProgressFile,
): Promise<UnknownRows> {
  const rows: number[] = []
  for (
    let row = 0;
    row < progress.head.rows && rows.length < progress.count('started') + progress.count('unknown');
    row++
  )
    if (['started', 'unknown'].includes(progress.stateOf(row))) rows.push(row)
  const unknown = new Set<number>()
  const repeated = new Set<number>()
  if (rows.length === 0 || !operation.usesIdempotencyKeys) return { unknown, repeated }
  if (operation.endpoint.risk === 'spends')
    await resolveSpends(context, operation, progress, rows, { unknown, repeated })
  else {
    const isIdempotent = await context.supports(idempotencyOf(operation.endpoint.method))
    for (const row of rows) {
      if (isIdempotent) repeated.add(row)
      else {
        unknown.add(row)
        progress.end(row, 'unknown')
      }
    }
  }
  progress.flush()
  return { unknown, repeated }
}

/**
 * Resolves rows of billable operations with the operations journal, which records whether a row was sent and how it was
 * answered.
 */
async function resolveSpends(
  context: Context,
  operation: RowOperation,
  progress: ProgressFile,
  rows: readonly number[],
  unknownRows: { readonly unknown: Set<number>; readonly repeated: Set<number> },
): Promise<void> {
  const journal = await context.journal()
  const keyed = new Map(rows.map((row) => [rowIdempotencyKey(progress, row), row]))
  const entries = new Map<number, JournalEntry[]>()
  for (const entry of journal.list({ keys: new Set(keyed.keys()) })) {
    const row = keyed.get(entry.idempotencyKey) as number
    entries.set(row, [...(entries.get(row) ?? []), entry])
  }
  let isIdempotent: boolean | undefined
  for (const row of rows) {
    const own = entries.get(row) ?? []
    const open = own.filter(({ state }) => state === 'open' || state === 'unknown')
    if (own.some(({ state }) => state === 'done')) progress.end(row, 'done')
    // A row without a journal entry was never sent. A refused one may be sent again.
    else if (open.length === 0) continue
    else if ((isIdempotent ??= await context.supports('idempotency')))
      await recallRow(context, operation, progress, journal, row, open, unknownRows)
    else {
      unknownRows.unknown.add(row)
      progress.end(row, 'unknown')
    }
  }
}

async function recallRow(
  context: Context,
  operation: RowOperation,
  progress: ProgressFile,
  journal: Journal,
  row: number,
  open: readonly JournalEntry[],
  unknownRows: { readonly unknown: Set<number>; readonly repeated: Set<number> },
): Promise<void> {
  const { input, idempotencyKey } = open[0] as JournalEntry
  const settle = (state: 'done' | 'refused', reconciled: string, output?: unknown): void => {
    for (const entry of open)
      journal.recordOutcome(entry.id, state, {
        reconciled,
        ...(output !== undefined && chargeDetail(journal, entry, output)),
      })
  }
  try {
    const output = await context.call(operation.endpoint, input, { idempotencyKey, isOutcomeQuery: true })
    progress.end(row, 'done')
    settle('done', `The ${operation.nouns[0]} was processed.`, output)
  } catch (caught) {
    const error = outcomeFailure(caught)
    if (error.code === 'idempotency_unknown' && isKeyRetained(context, open[0] as JournalEntry)) {
      // The request may still be in transit. Under the same key it is carried out once.
      unknownRows.repeated.add(row)
      settle('refused', `The platform has no such ${operation.nouns[0]}. It is sent again under the same key.`)
    } else if (error.exit !== 'unknown' && !isAboutKey(error))
      settle('refused', `The platform refused the ${operation.nouns[0]}.`)
    else {
      unknownRows.unknown.add(row)
      progress.end(row, 'unknown')
    }
  }
}
