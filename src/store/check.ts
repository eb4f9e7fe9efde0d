import { sql } from 'kysely'
import type { Connection } from './connection.ts'

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
