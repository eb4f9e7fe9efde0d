// Rows of fault rules. Requests read only the count of `updateFaultCount` to learn whether there are rules, so every change
// of the rules must call it in the same transaction (fault-service.ts does).

import type { Insertable, Selectable } from 'kysely'
import type { PlatformQuery } from '../database/connection.ts'
import type { FaultTable } from './tables.ts'

export type FaultRow = Selectable<FaultTable>

/** Returns all fault rules. */
export const listFaults = (query: PlatformQuery): Promise<FaultRow[]> =>
  query.selectFrom('fault').selectAll().orderBy('id').execute()

/** Inserts a fault rule. */
export const insertFault = (query: PlatformQuery, fault: Insertable<FaultTable>): Promise<FaultRow> =>
  query.insertInto('fault').values(fault).returningAll().executeTakeFirstOrThrow()

/** Deletes a rule. Returns false if it does not exist. */
export async function deleteFault(query: PlatformQuery, id: number): Promise<boolean> {
  const { numDeletedRows } = await query.deleteFrom('fault').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes all rules and returns their number. */
export async function clearFaults(query: PlatformQuery): Promise<number> {
  const { numDeletedRows } = await query.deleteFrom('fault').executeTakeFirst()
  return Number(numDeletedRows)
}

/** Counts a request that matched a rule, and whether the rule was triggered. */
export const recordFaultMatch = (query: PlatformQuery, id: number, isTriggered: boolean): Promise<unknown> =>
  query
    .updateTable('fault')
    .set((it) => ({ met: it('met', '+', 1), fired: it('fired', '+', isTriggered ? 1 : 0) }))
    .where('id', '=', id)
    .execute()

/** Updates the number of rules in the row that every request reads. Call it in the transaction that changed them. */
export async function updateFaultCount(query: PlatformQuery): Promise<void> {
  const { n } = await query
    .selectFrom('fault')
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  await query
    .insertInto('clock')
    .values({ id: 1, frozen_at: null, offset: 0, faults: Number(n) })
    .onConflict((it) => it.column('id').doUpdateSet({ faults: Number(n) }))
    .execute()
}
