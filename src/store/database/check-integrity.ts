import { sql } from 'kysely'
import { countedLists } from '../counters/counted-lists.ts'
import { countWrongCounters, rebuildCounters } from '../counters/rebuild-counters.ts'
import type { Connection, Query } from './connection.ts'

/** List with counters, and how many of them differ from its rows. */
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

/** Rebuilds the counters of every list, in the caller's transaction. Returns the errors that were found before. */
export async function rebuildAllCounters(query: Query): Promise<CounterCheck[]> {
  const found = await checkCounters(query)
  for (const list of countedLists) await rebuildCounters(query, list)
  return found
}

/**
 * Returns the problems inside the database, a phrase each; empty if there are none. PostgreSQL checks itself. Rejects
 * with StoreError.
 */
export async function checkIntegrity({ dialect, read }: Pick<Connection, 'dialect' | 'read'>): Promise<string[]> {
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
