import { sql } from 'kysely'
import type { Connection, Query } from './connection.ts'
import { countedLists } from './counters/lists.ts'
import { driftOf, recount } from './counters/recount.ts'

/** A list with counters, and how many of them say something else than its rows. */
export interface CheckedList {
  readonly list: string
  readonly wrong: number
}

/** Compares the counters of every list with its rows. */
export async function checkLists(query: Query): Promise<CheckedList[]> {
  const found: CheckedList[] = []
  for (const list of countedLists) found.push({ list: list.table, wrong: await driftOf(query, list) })
  return found
}

/** Makes the counters of every list anew, in the caller's transaction. Answers what was wrong. */
export async function recountLists(query: Query): Promise<CheckedList[]> {
  const found = await checkLists(query)
  for (const list of countedLists) await recount(query, list)
  return found
}

/** What is wrong inside the database, a phrase each; nothing when all is well. A PostgreSQL server looks after itself. Rejects with StoreError. */
export async function checkDatabase({ dialect, read }: Connection): Promise<string[]> {
  if (dialect === 'postgres') {
    await sql`select 1`.execute(read)
    return []
  }
  const { rows: pages } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(read)
  const { rows: strays } = await sql<{ table: string; rowid: number | null; parent: string }>`pragma foreign_key_check`.execute(read)
  return [
    ...pages.map((it) => it.integrity_check).filter((it) => it !== 'ok'),
    ...strays.slice(0, 20).map((it) => `row ${it.rowid} of ${it.table} belongs to a row of ${it.parent} that is not there`),
  ]
}
