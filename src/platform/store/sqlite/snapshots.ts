import { copyFileSync } from 'node:fs'
import { compareChecksum, removeChecksum } from '../../../node/file-checksum.ts'
import { yieldToEventLoop } from '../../../node/real-time.ts'
import type { ComparedTable, SnapshotMetadata, Snapshots, TableDifference } from '../database/connection.ts'
import { schemaVersionKey } from '../database/migrate.ts'
import type { SqliteDatabase, SqliteDriver } from './libsql-driver.ts'
import { connect, retryWhileBusy } from './open-connection.ts'
import { storeError, toStoreError } from './sqlite-store-errors.ts'

/**
 * Compares tables of two files of the same schema, also while other processes write. At most `limit` rows of each kind
 * of difference are returned for a table; the counts are complete. Rejects with StoreError.
 */
export async function compareFiles(
  driver: SqliteDriver,
  [from, to]: readonly [string, string],
  tables: readonly ComparedTable[],
  limit: number,
): Promise<TableDifference[]> {
  const database = driver.open(':memory:')
  try {
    database.prepare('ATTACH ? AS before').run([from])
    database.prepare('ATTACH ? AS after').run([to])
    database.exec('PRAGMA query_only=ON; BEGIN')
    try {
      const differences: TableDifference[] = []
      for (const table of tables) {
        differences.push(compareTable(database, table, limit))
        // Other requests are answered between two tables.
        await yieldToEventLoop()
      }
      return differences
    } finally {
      // Closing alone leaves the locks of statements that the runtime has not yet released.
      database.exec('ROLLBACK; DETACH before; DETACH after')
    }
  } catch (error) {
    throw toStoreError(error, from)
  } finally {
    database.close()
  }
}

function compareTable(database: SqliteDatabase, { name, ignored }: ComparedTable, limit: number): TableDifference {
  const columns = database.prepare(`PRAGMA before.table_info("${name}")`).all([])
  const keys = columns.filter((it) => Number(it.pk) > 0).map((it) => String(it.name))
  const compared = columns.map((it) => String(it.name)).filter((it) => !keys.includes(it) && !ignored.includes(it))
  const same = keys.map((it) => `x."${it}" = y."${it}"`).join(' and ')
  // Rows that are marked as deleted exist only until their dependents are deleted.
  const isMarked = columns.some((it) => it.name === 'deleted_at')
  const rowsOf = (side: string): string =>
    isMarked ? `(select * from ${side}."${name}" where deleted_at is null)` : `${side}."${name}"`
  const order = `order by ${keys.map((it) => `x."${it}"`).join(', ')} limit ${limit}`
  const differs = compared.map((it) => `x."${it}" is not y."${it}"`).join(' or ') || '0'
  const counted = (sql: string): number => Number(database.prepare(`select count(*) as n ${sql}`).get([])?.n)
  const onlyIn = (own: string, other: string): string =>
    `from ${rowsOf(own)} x where not exists (select 1 from ${rowsOf(other)} y where ${same})`
  const both = `from ${rowsOf('before')} x join ${rowsOf('after')} y on ${same} where ${differs}`
  const read = (sql: string, count: number) =>
    count === 0 ? [] : database.prepare(`select x.* ${sql} ${order}`).all([])
  const [created, changed, deleted] = [onlyIn('after', 'before'), both, onlyIn('before', 'after')] as const
  const counts = { created: counted(created), changed: counted(changed), deleted: counted(deleted) }
  const find = database.prepare(
    `select x.* from after."${name}" x where ${keys.map((it) => `x."${it}" = ?`).join(' and ')}`,
  )
  return {
    table: name,
    keys,
    ...counts,
    rows: [
      ...read(created, counts.created).map((after) => ({ after })),
      ...read(changed, counts.changed).map((before) => ({
        before,
        after: find.get(keys.map((key) => before[key] as string | number)) ?? {},
      })),
      ...read(deleted, counts.deleted).map((before) => ({ before })),
    ],
  }
}

/** Table that only snapshots have, with the metadata text. Existing snapshots have it: the name never changes. */
const metadataTable = 'snapshot_about'

interface SnapshotOptions {
  readonly driver: SqliteDriver
  readonly file: string
  readonly lockTimeoutMs: number
  /** Copies the committed data to a file and calls `finish` with the copy. */
  readonly copy: (to: string, finish: (copy: SqliteDatabase) => void) => Promise<void>
  /** Called after the rows were replaced. */
  readonly onRestored: () => void
}

/** Creates the functions that save and restore snapshots of a file in use. */
export const createSnapshots = ({ driver, file, lockTimeoutMs, copy, onRestored }: SnapshotOptions): Snapshots => ({
  save: (to, text) =>
    copy(to, (copy) => {
      copy.exec(`create table ${metadataTable} (text text not null) strict`)
      copy.prepare(`insert into ${metadataTable} values (?)`).run([text])
    }),
  compareChecksum,
  copy(from, to) {
    copyFileSync(from, to)
    removeChecksum(to)
  },
  readMetadata: (from) => readSnapshotMetadata(driver, from),
  compare: (from, to, tables, limit) => compareFiles(driver, [from, to ?? file], tables, limit),
  async restore(from, mark) {
    const database = await retryWhileBusy(() => connect(driver, file, { busyTimeoutMs: 0 }), lockTimeoutMs)
    try {
      // Foreign keys are violated while rows are replaced table by table.
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
      // Closing the connection discards uncommitted changes.
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

/**
 * Replaces all rows with those of the attached copy. Triggers are disabled for the time of the copy, because the copied counters are
 * already correct.
 */
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
  // Leases from the time of the copy are no longer valid.
  database.exec('update main.due set lease_owner = null, lease_until = 0')
  database.prepare('insert or replace into main.meta (key, value) values (?, ?)').run(mark)
}

const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`
