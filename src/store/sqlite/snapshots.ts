import type { SnapshotMetadata, Snapshots } from '../database/connection.ts'
import { schemaVersionKey } from '../database/migrate.ts'
import { connect } from './open-connection.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts'
import { storeError, toStoreError } from './sqlite-store-errors.ts'

/** The table only copies have: what the file was, and what belongs to it that is not in the database. */
const metadataTable = 'snapshot_about'

export interface SnapshotOptions {
  readonly driver: SqliteDriver
  readonly file: string
  readonly lockTimeoutMs: number
  /** Copies what is committed to a file, with what `finish` does to it. */
  readonly copy: (to: string, finish: (copy: SqliteDatabase) => void) => Promise<void>
  /** Told once other rows are there than before. */
  readonly onRestored: () => void
}

/** Copies of a file that is in use, and the way back to one. */
export const createSnapshots = ({ driver, file, lockTimeoutMs, copy, onRestored }: SnapshotOptions): Snapshots => ({
  save: (to, text) =>
    copy(to, (copy) => {
      copy.exec(`create table ${metadataTable} (text text not null) strict`)
      copy.prepare(`insert into ${metadataTable} values (?)`).run([text])
    }),
  readMetadata: (from) => readSnapshotMetadata(driver, from),
  async restore(from, mark) {
    const database = await retryWhileBusy(() => connect(driver, file, { busyTimeoutMs: 0 }), lockTimeoutMs)
    try {
      // While rows of one table are there without those of another.
      database.exec('PRAGMA foreign_keys=OFF')
      database.prepare('ATTACH ? AS snapshot').run([from])
      const problem = database.prepare('PRAGMA snapshot.quick_check(1)').get([])?.quick_check
      if (problem !== 'ok') throw storeError('corrupt', from)
      await retryWhileBusy(() => database.exec('BEGIN IMMEDIATE'), lockTimeoutMs)
      replaceRows(database, mark)
      database.exec('COMMIT')
    } catch (error) {
      throw toStoreError(error, file)
    } finally {
      // What was not committed is gone with the connection.
      database.close()
      onRestored()
    }
  },
})

function readSnapshotMetadata(driver: SqliteDriver, from: string): SnapshotMetadata | undefined {
  try {
    const database = driver.open(from)
    try {
      const text = database.prepare(`select text from ${metadataTable}`).get([])?.text
      const schema = database.prepare('select value from meta where key = ?').get([schemaVersionKey])?.value
      return typeof text === 'string' ? { text, schema: Number(schema) } : undefined
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}

/** Puts the rows of the attached copy in the place of all there are. Triggers would count what the copied counters know. */
function replaceRows(database: SqliteDatabase, mark: readonly [key: string, value: string]): void {
  const triggers = database.prepare("select name, sql from main.sqlite_master where type = 'trigger'").all([])
  for (const { name } of triggers) database.exec(`drop trigger main.${quoted(name)}`)
  const tables = database
    .prepare("select name from main.sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all([])
  for (const { name } of tables) {
    const table = quoted(name)
    const columns = database.prepare(`PRAGMA main.table_info(${table})`).all([])
    const names = columns.map((it) => quoted(it.name)).join(', ')
    database.exec(
      `delete from main.${table}; insert into main.${table} (${names}) select ${names} from snapshot.${table}`,
    )
  }
  database.exec(
    'delete from main.sqlite_sequence; insert into main.sqlite_sequence select * from snapshot.sqlite_sequence',
  )
  for (const { sql } of triggers) database.exec(String(sql))
  // Whoever had begun something when the copy was made has not now.
  database.exec('update main.due set lease_owner = null, lease_until = 0')
  database.prepare('insert or replace into main.meta (key, value) values (?, ?)').run(mark)
}

const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`
