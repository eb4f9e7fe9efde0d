// What API keys with a budget spend. A row begins as what an operation of key-budget.ts may cost, and becomes what it did cost.

import type { Insertable, Selectable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { KeySpendingTable } from './tables.ts'

/** Returns what is reserved or spent under a reference. */
export const findKeySpending = (
  query: AccountQuery,
  reference: string,
): Promise<Selectable<KeySpendingTable> | undefined> =>
  query
    .selectFrom('key_spending')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('reference', '=', reference)
    .executeTakeFirst()

/** Reserves what an operation may cost a key, replacing an earlier amount with the same reference. The budget counts it from then on. */
export async function saveKeySpending(query: AccountQuery, spending: Insertable<KeySpendingTable>): Promise<void> {
  const { amount, created_at } = spending
  await query
    .insertInto('key_spending')
    .values(spending)
    .onConflict((it) => it.columns(['account_id', 'reference']).doUpdateSet({ amount, created_at }))
    .execute()
}

/** Sets the amount under a reference, if there is one: what was spent, or 0 when nothing was. */
export async function settleKeySpending(query: AccountQuery, reference: string, amount: number): Promise<void> {
  await query
    .updateTable('key_spending')
    .set({ amount })
    .where('account_id', '=', query.account)
    .where('reference', '=', reference)
    .execute()
}

/** Returns what a key has spent and reserved since a time. */
export async function sumKeySpending(
  query: AccountQuery,
  { key, since }: { readonly key: number; readonly since: number },
): Promise<number> {
  const row = await query
    .selectFrom('key_spending')
    .select((it) => it.fn.sum<number | string | null>('amount').as('total'))
    .where('account_id', '=', query.account)
    .where('key_id', '=', key)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}
