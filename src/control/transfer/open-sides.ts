import { existsSync, rmSync } from 'node:fs'
import { makeFolder } from '../../node/make-folder.ts'
import { migrate, schemaVersionKey } from '../../store/database/migrate.ts'
import { openStore } from '../../store/database/open-store.ts'
import { migrations } from '../../store/migrations/index.ts'
import { openPostgres } from '../../store/postgres/open-postgres.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { withPostgres } from '../../store/transfer/postgres-side.ts'
import { withSqliteFile } from '../../store/transfer/sqlite-side.ts'
import type { TransferSide } from '../../store/transfer/transfer-side.ts'
import { sqliteFile } from '../data-folder/database-file.ts'
import { databaseIdKey } from '../data-folder/shared-secrets.ts'
import type { TransferPlace } from './transfer-places.ts'
import { TransferRefused } from './transfer-refused.ts'

/** Runs `body` with a source, which is not changed. Rejects with StoreError or TransferRefused. */
export async function withSource<T>(place: TransferPlace, body: (side: TransferSide) => Promise<T>): Promise<T> {
  const checked = async (side: TransferSide): Promise<T> => {
    await requireSchema(side)
    return body(side)
  }
  if ('url' in place) {
    const { url, options, id } = place
    const database = await openPostgres(url.href, options)
    return withPostgres(database, async (side) => {
      if (id !== undefined) await requireIdentity(side, id)
      return checked(side)
    }).finally(() => database.close())
  }
  const file = sqliteFile(place.folder)
  return withSqliteFile(file, { isChanged: false }, checked)
}

/**
 * Runs `body` with a target, whose schema is created if it is new. Its changes are saved when `body` resolves, all or
 * none. Rejects with StoreError or TransferRefused.
 */
export async function withTarget<T>(place: TransferPlace, body: (side: TransferSide) => Promise<T>): Promise<T> {
  if ('folder' in place) return withFile(place.folder, body)
  const database = await openPostgres(place.url.href, place.options)
  try {
    const isNew = await withPostgres(database, async (side) => (await side.describeTables(['meta'])).length === 0)
    if (isNew) await migrate(database)
    return await withPostgres(database, async (side) => {
      await requireSchema(side)
      return body(side)
    })
  } finally {
    await database.close()
  }
}

/** A new file is written under another name first, so that an interrupted migration leaves no target. */
async function withFile<T>(folder: string, body: (side: TransferSide) => Promise<T>): Promise<T> {
  makeFolder(folder)
  const file = sqliteFile(folder)
  if (existsSync(file)) return withSqliteFile(file, { isChanged: false }, body)
  const partial = `${file}.migrating`
  const remove = (): void => {
    for (const it of ['', '-wal', '-shm']) rmSync(`${partial}${it}`, { force: true })
  }
  remove()
  try {
    await (await openStore({ file: partial, durable: false })).close()
    const value = await withSqliteFile(partial, { isChanged: true }, (side) => body({ ...side, location: file }))
    const copy = await openSqlite(partial)
    copy.backup?.(file)
    await copy.close()
    return value
  } finally {
    remove()
  }
}

/** Throws TransferRefused if a database is not the one that the data folder has used. */
async function requireIdentity(side: TransferSide, id: string): Promise<void> {
  const [table] = await side.describeTables(['meta'])
  const [row] = table ? await side.query('select value from meta where key = ?1', [databaseIdKey]) : []
  if (row?.value === id) return
  throw new TransferRefused(
    'usage',
    `${side.location} is not the database that the data folder has used. It was created again or replaced.`,
    'Restore its backup, or delete database.json in the data folder.',
  )
}

/** Throws TransferRefused if a database has no data, or the schema of another version. */
async function requireSchema(side: TransferSide): Promise<void> {
  const [table] = await side.describeTables(['meta'])
  const [row] = table ? await side.query('select value from meta where key = ?1', [schemaVersionKey]) : []
  if (!row) throw new TransferRefused('usage', `${side.location} has no data of Parley.`, 'Check --from and --to.')
  const version = Number(row.value)
  if (version === migrations.length) return
  throw new TransferRefused(
    'conflict',
    `${side.location} has schema ${version}, but this version of Parley uses ${migrations.length}.`,
    version < migrations.length
      ? 'Upgrade it first: run "parley server status" or start a server with this version of Parley.'
      : 'Upgrade Parley.',
  )
}
