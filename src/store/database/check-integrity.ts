import { sql } from 'kysely'
import { countedLists } from '../counters/counted-lists.ts'
import { countWrongCounters, rebuildCounters } from '../counters/rebuild-counters.ts'
import type { Connection, Query } from './connection.ts'

/** A list with counters, and how many of them say something else than its rows. */
export interface CounterCheck {
  readonly list: string
  readonly wrong: number
}

/** Compares the counters of every list with its rows. */
export async function checkCounters(query: Query): Promise<CounterCheck[]> {
  const found: CounterCheck[] = []
  for (const list of countedLists) found.push({ list: list.table, wrong: await countWrongCounters(query, list) })
  return found
}

/** Makes the counters of every list anew, in the caller's transaction. Answers what was wrong. */
export async function rebuildAllCounters(query: Query): Promise<CounterCheck[]> {
  const found = await checkCounters(query)
  for (const list of countedLists) await rebuildCounters(query, list)
  return found
}

/** What is wrong inside the database, a phrase each; nothing when all is well. A PostgreSQL server looks after itself. Rejects with StoreError. */
export async function checkIntegrity({ dialect, read }: Connection): Promise<string[]> {
  if (dialect === 'postgres') {
    await sql`select 1`.execute(read)
    return []
  }
  const { rows: pages } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(read)
  const { rows: orphans } = await sql<{
    table: string
    rowid: number | null
    parent: string
  }>`pragma foreign_key_check`.execute(read)
  return [
    ...pages.map((it) => it.integrity_check).filter((it) => it !== 'ok'),
    ...orphans.slice(0, 20).map((it) => `row ${it.rowid} of ${it.table} refers to a missing row of ${it.parent}`),
  ]
}
