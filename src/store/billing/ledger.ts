import type { Insertable, Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { LedgerTable } from './tables.ts'

export type LedgerRow = Selectable<LedgerTable>

/** Books a movement once: undefined when its reference is booked already. */
export const insertLedgerEntry = (query: Query, entry: Insertable<LedgerTable>): Promise<LedgerRow | undefined> =>
  query
    .insertInto('ledger')
    .values(entry)
    .onConflict((it) => it.doNothing())
    .returningAll()
    .executeTakeFirst()

export const findLedgerEntry = (query: Query, account: number, reference: string): Promise<LedgerRow | undefined> =>
  query
    .selectFrom('ledger')
    .selectAll()
    .where('account_id', '=', account)
    .where('reference', '=', reference)
    .executeTakeFirst()

export const listLedger = (query: Query, account: number): Promise<LedgerRow[]> =>
  query.selectFrom('ledger').selectAll().where('account_id', '=', account).orderBy('id').execute()

/**
 * Moves a balance by `amount` (negative takes), never below zero.
 * Returns the balance after, or undefined when there is not enough: one statement, so that two charges cannot both take the last cent.
 */
export async function adjustBalance(query: Query, account: number, amount: number): Promise<number | undefined> {
  const row = await query
    .updateTable('account')
    .set((it) => ({ balance: it('balance', '+', amount) }))
    .where('id', '=', account)
    .where((it) => it.or([it.val(amount >= 0), it(it('balance', '+', amount), '>=', 0)]))
    .returning('balance')
    .executeTakeFirst()
  return row?.balance
}

export async function deleteLedgerEntry(query: Query, id: number): Promise<void> {
  await query.deleteFrom('ledger').where('id', '=', id).execute()
}

/** Records the balance that a movement led to. */
export async function setBalanceAfter(query: Query, id: number, balance: number): Promise<void> {
  await query.updateTable('ledger').set({ balance_after: balance }).where('id', '=', id).execute()
}
