import type { Selectable } from 'kysely'
import type { Query } from './connection.ts'
import type { ClockTable } from './tables.ts'

export type ClockRow = Selectable<ClockTable>

export const readClock = (query: Query): Promise<ClockRow | undefined> => query.selectFrom('clock').selectAll().where('id', '=', 1).executeTakeFirst()

export async function writeClock(query: Query, clock: Omit<ClockRow, 'id'>): Promise<void> {
  await query
    .insertInto('clock')
    .values({ id: 1, ...clock })
    .onConflict((it) => it.column('id').doUpdateSet(clock))
    .execute()
}
