import type { Query } from './connection.ts'

/** Counts one request in a fixed window; returns how many the window has now, this one included. */
export async function countRequest(query: Query, account: number, name: string, windowStart: number): Promise<number> {
  const row = await query
    .insertInto('request_limit')
    .values({ account_id: account, name, window_start: windowStart, used: 1 })
    .onConflict((it) =>
      it.columns(['account_id', 'name']).doUpdateSet((row) => ({
        used: row
          .case()
          .when('request_limit.window_start', '=', windowStart)
          .then(row('request_limit.used', '+', 1))
          .else(1)
          .end(),
        window_start: windowStart,
      })),
    )
    .returning('used')
    .executeTakeFirstOrThrow()
  return row.used
}
