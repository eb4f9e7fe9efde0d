import { sql } from 'kysely'
import type { Connection } from './connection.ts'
import { countedLists } from './counters/lists.ts'
import { driftOf } from './counters/recount.ts'

/** What is wrong inside the database, a phrase each; nothing when all is well. Rejects with StoreError. */
export async function checkDatabase(connection: Connection): Promise<string[]> {
  return [...(await checkFile(connection)), ...(await checkCounters(connection))]
}

/** How many counters of each list differ from its rows, where some do. */
async function checkCounters({ read }: Connection): Promise<string[]> {
  const found: string[] = []
  for (const list of countedLists) {
    const drift = await driftOf(read, list)
    if (drift > 0) found.push(`${drift} counters of ${list.table} differ from its rows`)
  }
  return found
}

/** A PostgreSQL server looks after its files itself. */
async function checkFile({ dialect, read }: Connection): Promise<string[]> {
  if (dialect === 'postgres') return []
  const { rows: pages } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(read)
  const { rows: strays } = await sql<{ table: string; rowid: number | null; parent: string }>`pragma foreign_key_check`.execute(read)
  return [
    ...pages.map((it) => it.integrity_check).filter((it) => it !== 'ok'),
    ...strays.slice(0, 20).map((it) => `row ${it.rowid} of ${it.table} belongs to a row of ${it.parent} that is not there`),
  ]
}
