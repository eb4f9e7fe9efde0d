import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPlatform } from '../../src/platform/compose.ts'
import type { CountedList } from '../../src/platform/store/counters/counted-list.ts'
import { rebuildCounters } from '../../src/platform/store/counters/counted-lists.ts'
import type { Connection } from '../../src/platform/store/database/connection.ts'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { migrations } from '../../src/platform/store/migrations/all.ts'
import type { SqliteDatabase } from '../../src/platform/store/sqlite/libsql-driver.ts'
import { loadSqlite } from '../../src/platform/store/sqlite/sqlite-driver.ts'

/** Folder for generated data, outside the project, that later runs reuse; at most `limit` sets are stored. */
const home = join(tmpdir(), 'parley-bench-data')
const limit = 3

/** Tables to fill with many rows. */
export interface Filling {
  readonly tables: readonly string[]
  /** Lists of these tables that have counters. */
  readonly lists: readonly CountedList[]
  /** Inserts rows with ids from `from`, without triggers and indexes, in a transaction. */
  fill(database: SqliteDatabase, rows: number): void
}

/**
 * Returns a data folder with sample data and `rows` additional rows in each list. Created once per size and schema
 * version; takes half a minute per million. If a filling changes, its name must change.
 */
export async function cachedData(
  name: string,
  rows: number,
  fillings: readonly Filling[],
  say: (text: string) => void,
): Promise<string> {
  const schema = migrations.length
  const folder = join(home, `${name}-v${schema}-${rows}`)
  const ready = join(folder, 'ready')
  if (statSync(ready, { throwIfNoEntry: false })) {
    writeFileSync(ready, '')
    return folder
  }
  mkdirSync(home, { recursive: true })
  const saved = readdirSync(home)
  const age = (it: string): number => statSync(join(home, it, 'ready'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const old = saved.sort((a, b) => age(b) - age(a)).slice(limit - 1)
  for (const outdated of [...old, `${name}-v${schema}-${rows}`])
    rmSync(join(home, outdated), { recursive: true, force: true })
  say(`  building ${rows} rows in ${folder}, once`)
  const platform = await openPlatform({ dataDir: folder, seed: 7, pid: process.pid, isAlive: () => true })
  await platform.close()
  const file = join(folder, 'platform.db')
  const database = loadSqlite().open(file)
  for (const filling of fillings) load(database, filling, rows)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const connection = await openStore({ file })
  for (const list of fillings.flatMap((it) => it.lists))
    await connection.write('everything', (query) => rebuildCounters(query, list))
  await connection.close()
  writeFileSync(ready, '')
  return folder
}

/** Loads rows in bulk: triggers and indexes are removed first and created again at the end. */
function load(database: SqliteDatabase, { tables, fill }: Filling, rows: number): void {
  const find = database.prepare(
    "select type, name, sql from sqlite_master where tbl_name = ? and type in ('index', 'trigger') and sql is not null",
  )
  const parts = tables.flatMap((it) => find.all([it]))
  database.exec('PRAGMA synchronous=OFF; BEGIN')
  for (const { type, name } of parts) database.exec(`drop ${type} ${name}`)
  fill(database, rows)
  for (const { sql } of parts) database.exec(String(sql))
  database.exec('COMMIT')
}

/** Opens the database of a data folder. */
export const openSaved = (folder: string): Promise<Connection> => openStore({ file: join(folder, 'platform.db') })
