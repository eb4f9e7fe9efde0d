import { checkCounters, checkIntegrity } from '../database/check-integrity.ts'
import { listTables } from '../database/migrate.ts'
import { StoreError } from '../database/store-error.ts'
import { SqliteConnection, sqliteQuery } from '../sqlite/kysely-dialect.ts'
import { loadSqlite } from '../sqlite/sqlite-driver.ts'
import { toStoreError } from '../sqlite/sqlite-store-errors.ts'
import { quoted } from './copy-data.ts'

/** What a copy of a SQLite file contains, for `parley server backup`. */
export interface CopyContent {
  readonly tables: number
  readonly rows: number
}

/**
 * Checks a copy of a SQLite file that no process uses: pages, references between rows, and the counters of lists. Returns
 * what it contains. Rejects with StoreError `corrupt` if it is damaged.
 */
export async function requireCopy(file: string): Promise<CopyContent> {
  const database = loadSqlite().open(file)
  try {
    const connection = new SqliteConnection(database, file)
    const read = sqliteQuery(() => connection)
    const problems = [
      ...(await checkIntegrity({ dialect: 'sqlite', read })),
      ...(await checkCounters(read))
        .filter((it) => it.wrong !== 0)
        .map((it) => `counters of ${it.list} differ from the rows`),
    ]
    if (problems.length > 0) throw new StoreError('corrupt', `The data is damaged: ${problems.join('; ')}.`)
    const names = await listTables(read, 'sqlite')
    const rows = names.map((name) => Number(database.prepare(`select count(*) as n from ${quoted(name)}`).get([])?.n))
    return { tables: names.length, rows: rows.reduce((a, b) => a + b, 0) }
  } catch (error) {
    throw toStoreError(error, file)
  } finally {
    database.close()
  }
}
