import type { Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { AutomationWaitTable } from './tables.ts'

export type WaitRow = Selectable<AutomationWaitTable>

/** Stores the wait of a step and replaces an earlier one. */
export async function insertWait(query: Query, wait: Omit<WaitRow, 'payload' | 'resumed_at'>): Promise<void> {
  const fresh = { id: wait.id, until: wait.until, payload: null, resumed_at: null }
  await query
    .insertInto('automation_wait')
    .values({ ...wait, ...fresh })
    .onConflict((it) => it.columns(['run', 'path']).doUpdateSet(fresh))
    .execute()
}

/** Returns the waits of a run. */
export const listWaits = (query: Query, run: number): Promise<WaitRow[]> =>
  query.selectFrom('automation_wait').selectAll().where('run', '=', run).execute()

/** Returns a wait by id. */
export const findWait = (query: Query, id: string): Promise<WaitRow | undefined> =>
  query.selectFrom('automation_wait').selectAll().where('id', '=', id).executeTakeFirst()

/** Ends a wait. Returns false if it has already ended. */
export async function resumeWait(query: Query, id: string, payload: string | null, now: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('automation_wait')
    .set({ payload, resumed_at: now })
    .where('id', '=', id)
    .where('resumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
