import { type Selectable, sql } from 'kysely'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, PlatformQuery } from '../database/connection.ts'
import type { AutomationWaitTable } from './tables.ts'

export type WaitRow = Selectable<AutomationWaitTable>

/**
 * Stores the wait of a step and replaces an earlier one. Its id has the form of run-keys.ts: addresses that were sent to people have
 * it, and the run is found by it.
 */
export async function insertWait(query: AccountQuery, wait: Omit<WaitRow, 'payload' | 'resumed_at'>): Promise<void> {
  await insertWaitQuery(query, wait.id, wait.account_id, wait.run, wait.path, wait.until)
}

const insertWaitQuery = compiledQuery(
  (query, id: string, account_id: number, run: number, path: string, until: number | null) =>
    query
      .insertInto('automation_wait')
      .values({ id, account_id, run, path, until })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'run', 'path']).doUpdateSet((row) => ({
          id: row.ref('excluded.id'),
          until: row.ref('excluded.until'),
          payload: sql<null>`null`,
          resumed_at: sql<null>`null`,
        })),
      ),
)

/** Returns the waits of a run. */
export const listWaits = (query: AccountQuery, run: number): Promise<WaitRow[]> => listWaitsOfRuns(query, [run])

/** Returns the waits of runs. */
export const listWaitsOfRuns = (query: AccountQuery, runs: readonly number[]): Promise<WaitRow[]> =>
  query.selectFrom('automation_wait').selectAll().where('run', 'in', runs).execute()

/** Returns a wait by id. */
export const findWait = (query: AccountQuery, id: string): Promise<WaitRow | undefined> =>
  query.selectFrom('automation_wait').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns a wait of any account by id. */
export const findAnyWait = (query: PlatformQuery, id: string): Promise<WaitRow | undefined> =>
  query.selectFrom('automation_wait').selectAll().where('id', '=', id).executeTakeFirst()

/** Ends waits whose time has come. Those that a request has ended keep its payload. */
export async function endWaits(query: AccountQuery, ids: readonly string[], now: number): Promise<void> {
  await query
    .updateTable('automation_wait')
    .set({ resumed_at: now })
    .where('id', 'in', ids)
    .where('resumed_at', 'is', null)
    .execute()
}

/** Ends a wait. Returns false if it has already ended. */
export async function resumeWait(
  query: AccountQuery,
  id: string,
  payload: string | null,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('automation_wait')
    .set({ payload, resumed_at: now })
    .where('id', '=', id)
    .where('resumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the wait of a step, so that the step starts again. */
export async function deleteWait(query: AccountQuery, run: number, path: string): Promise<void> {
  await query.deleteFrom('automation_wait').where('run', '=', run).where('path', '=', path).execute()
}

/** Deletes the waits of a run, so that a later request to their addresses finds nothing. */
export async function deleteWaits(query: AccountQuery, run: number): Promise<void> {
  await query.deleteFrom('automation_wait').where('run', '=', run).execute()
}
