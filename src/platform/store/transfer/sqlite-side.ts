import type { SqliteDatabase } from '../sqlite/libsql-driver.ts'
import { connect, createFile, retryWhileBusy } from '../sqlite/open-connection.ts'
import { loadSqlite } from '../sqlite/sqlite-driver.ts'
import { toStoreError } from '../sqlite/sqlite-store-errors.ts'
import { quoted, quotedList, type TableShape, type TransferRow, type TransferSide, type Value } from './copy-data.ts'

/** Milliseconds to wait until another process has committed. */
const lockTimeoutMs = 15_000

/**
 * Runs `body` in a transaction on a SQLite file; other processes can read, but not write. With `isChanged`, its changes
 * are committed when `body` resolves. Rejects with StoreError.
 */
export async function withSqliteFile<T>(
  file: string,
  { isChanged }: { readonly isChanged: boolean },
  body: (side: TransferSide) => Promise<T>,
): Promise<T> {
  createFile(file)
  const database = await retryWhileBusy(() => connect(loadSqlite(), file, { busyTimeoutMs: 0 }), lockTimeoutMs).catch(
    (error) => {
      throw toStoreError(error, file)
    },
  )
  try {
    await retryWhileBusy(() => database.exec('BEGIN IMMEDIATE'), lockTimeoutMs)
    const value = await body(createSide(database, file))
    database.exec(isChanged ? 'COMMIT' : 'ROLLBACK')
    return value
  } catch (error) {
    throw toStoreError(error, file)
  } finally {
    // Closing the connection discards uncommitted changes.
    database.close()
  }
}

function createSide(database: SqliteDatabase, file: string): TransferSide {
  const all = (statement: string, parameters: readonly Value[] = []): readonly TransferRow[] =>
    database.prepare(statement).all(parameters.map(toBound)) as TransferRow[]

  function describe(name: string): TableShape[] {
    const columns = all(`PRAGMA table_info(${quoted(name)})`)
    if (columns.length === 0) return []
    const created = String(all('select sql from sqlite_master where name = ?1', [name])[0]?.sql)
    const key = columns.filter((it) => Number(it.pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
    const parents = all(`PRAGMA foreign_key_list(${quoted(name)})`).map((it) => String(it.table))
    return [
      {
        name,
        columns: columns.map((it) => String(it.name)).sort(),
        key: key.map((it) => String(it.name)),
        parents: parents.filter((it) => it !== name),
        identity: /autoincrement/i.test(created) ? String(key[0]?.name) : undefined,
      },
    ]
  }

  return {
    dialect: 'sqlite',
    location: file,
    query: async (statement, parameters) => {
      try {
        return all(statement, parameters)
      } catch (error) {
        throw toStoreError(error, file)
      }
    },
    describeTables: async (names) => names.flatMap(describe),
    // The transaction is the only one that writes.
    lock: async () => {},
    async insert({ name, columns }, rows) {
      const statement = database.prepare(
        `insert into ${quoted(name)} (${quotedList(columns)}) values (${columns.map(() => '?').join(', ')})`,
      )
      for (const row of rows) statement.run(columns.map((it) => toBound(row[it] ?? null)))
    },
    async withoutTriggers(_, body) {
      const triggers = all("select name, sql from sqlite_master where type = 'trigger'")
      for (const { name } of triggers) database.exec(`drop trigger ${quoted(String(name))}`)
      const value = await body()
      for (const { sql } of triggers) database.exec(String(sql))
      return value
    },
    readSequence: async ({ name }) =>
      Number(all('select seq from sqlite_sequence where name = ?1', [name])[0]?.seq ?? 0),
    async writeSequence({ name }, last) {
      database.prepare('delete from sqlite_sequence where name = ?').run([name])
      database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run([name, BigInt(last)])
    },
  }
}

/** Strict tables take integers only as such. */
const toBound = (value: Value): string | bigint | null => (typeof value === 'number' ? BigInt(value) : value)
