import type { Selectable } from 'kysely'
import { compiledQuery } from '../database/compiled-query.ts'
import type { PlatformQuery, Query } from '../database/connection.ts'
import type { ClockTable } from './tables.ts'

export type ClockRow = Selectable<ClockTable>

const clockQuery = compiledQuery((query) => query.selectFrom('clock').selectAll().where('id', '=', 1), {
  isSingleRow: true,
  cacheTable: 'clock',
})

/** Returns the state of the clock. */
export const readClock = async (query: Query): Promise<ClockRow | undefined> => (await clockQuery(query))[0]

/** Stores the state of the clock. */
export async function writeClock(query: PlatformQuery, clock: Pick<ClockRow, 'frozen_at' | 'offset'>): Promise<void> {
  await query
    .insertInto('clock')
    .values({ id: 1, ...clock })
    .onConflict((it) => it.column('id').doUpdateSet(clock))
    .execute()
}
