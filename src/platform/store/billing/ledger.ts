// Queries of the ledger and the balance. src/platform/services/billing/ledger.ts is the only caller that writes: entry and balance in one
// transaction, because `checkBalances` compares each balance with the sum of its entries.

import type { Insertable, Selectable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { LedgerTable } from './tables.ts'

export type LedgerRow = Selectable<LedgerTable>

/**
 * Inserts a ledger entry. Returns undefined if an entry with its reference exists: it is booked already, and the balance must not
 * change.
 */
export const insertLedgerEntry = (
  query: AccountQuery,
  entry: Insertable<LedgerTable>,
): Promise<LedgerRow | undefined> =>
  query
    .insertInto('ledger')
    .values(entry)
    .onConflict((it) => it.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Returns the ledger entry with a reference. */
export const findLedgerEntry = (query: AccountQuery, reference: string): Promise<LedgerRow | undefined> =>
  query
    .selectFrom('ledger')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('reference', '=', reference)
    .executeTakeFirst()

/** Returns the ledger entries of an account, oldest first. */
export const listLedger = (query: AccountQuery): Promise<LedgerRow[]> =>
  query.selectFrom('ledger').selectAll().where('account_id', '=', query.account).orderBy('id').execute()

/**
 * Changes a balance by `amount` (negative to charge), never below zero. Returns the new balance, or undefined if it is
 * not enough. A single statement, so that concurrent charges cannot overdraw it.
 */
export async function adjustBalance(query: AccountQuery, amount: number): Promise<number | undefined> {
  const row = await query
    .updateTable('account')
    .set((it) => ({ balance: it('balance', '+', amount) }))
    .where('id', '=', query.account)
    .where((it) => it.or([it.val(amount >= 0), it(it('balance', '+', amount), '>=', 0)]))
    .returning('balance')
    .executeTakeFirst()
  return row?.balance
}

/** Deletes an entry that the balance does not cover, in the transaction that inserted it. Later ones go only with all data. */
export async function deleteLedgerEntry(query: AccountQuery, id: number): Promise<void> {
  await query.deleteFrom('ledger').where('id', '=', id).execute()
}

/** Stores the balance after a ledger entry, in the transaction that inserted it. */
export async function setBalanceAfter(query: AccountQuery, id: number, balance: number): Promise<void> {
  await query.updateTable('ledger').set({ balance_after: balance }).where('id', '=', id).execute()
}

/** Entries that are read at once. */
const batchSize = 2000

/** A period of the ledger in microseconds, without its end, so that adjacent periods share no entry. */
interface LedgerPeriod {
  /** First microsecond (default: all earlier entries). */
  readonly since?: number | undefined
  /** First microsecond after the period. */
  readonly until: number
}

/** Reads the ledger entries of a period, oldest first, in batches. */
export async function* readLedger(
  query: AccountQuery,
  { since = 0, until }: LedgerPeriod,
): AsyncGenerator<LedgerRow[]> {
  for (let last = 0; ; ) {
    const rows = await query
      .selectFrom('ledger')
      .selectAll()
      .where('account_id', '=', query.account)
      .where('id', '>', last)
      .where('created_at', '>=', since)
      .where('created_at', '<', until)
      .orderBy('id')
      .limit(batchSize)
      .execute()
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = (rows.at(-1) as LedgerRow).id
  }
}
