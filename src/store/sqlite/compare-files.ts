import { yieldToEventLoop } from '../../node/real-time.ts'
import type { ComparedTable, TableDifference } from '../database/connection.ts'
import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts'
import { toStoreError } from './sqlite-store-errors.ts'

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
      for (const it of tables) {
        differences.push(compareTable(database, it, limit))
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
