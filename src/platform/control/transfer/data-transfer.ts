// Migrations to another database, and backups of a data folder. The source is never changed, and a target is saved only after
// it was compared with the source.

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crypto } from '../../../node/crypto.ts'
import { dataFiles, sqliteEnds } from '../../../node/data-files.ts'
import { locationOf, parseDatabaseUrl } from '../../../node/database-url.ts'
import { describeWriteError } from '../../../node/file-error.ts'
import { markPlatform, readMarker, requireFiles } from '../../../node/folder-marker.ts'
import { stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { renameFile } from '../../../node/operating-system.ts'
import { createFile, syncFolder } from '../../../node/replace-file.ts'
import { createClock } from '../../jobs/clock.ts'
import { hashSecret, toToken } from '../../services/runtime/api-keys.ts'
import { createVault, keyMark, sealedWith } from '../../services/runtime/vault.ts'
import { listSchemaTables, migrate, schemaVersionKey } from '../../store/database/migrate.ts'
import { openStore } from '../../store/database/open-store.ts'
import { findSealedText } from '../../store/database/sealed-text.ts'
import { StoreError } from '../../store/database/store-error.ts'
import { distributionKey, requireNoDistribution } from '../../store/database/unfinished-distribution.ts'
import { schemaVersion } from '../../store/migrations/index.ts'
import { openPostgres } from '../../store/postgres/open-postgres.ts'
import { nodeTimeoutMs } from '../../store/runtime/server-nodes.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import {
  copyRows,
  digestTables,
  findDifferences,
  findFilledTable,
  matchTables,
  quoted,
  type TableShape,
  type TransferSide,
} from '../../store/transfer/copy-data.ts'
import { withPostgres } from '../../store/transfer/postgres-side.ts'
import { type CopyContent, requireCopy } from '../../store/transfer/require-copy.ts'
import { withSqliteFile } from '../../store/transfer/sqlite-side.ts'
import { chooseDatabase, DatabaseRefused, toStored, withKnownPassword } from '../data-folder/choose-database.ts'
import { type Credentials, createCredentials, readCredentials, writeCredentials } from '../data-folder/credentials.ts'
import { databaseFile, readDatabaseFile, sqliteFile, writeDatabaseFile } from '../data-folder/database-file.ts'
import type { DatabaseOptions, DatabaseSettings, GivenSecretKey } from '../data-folder/database-settings.ts'
import { createFolderKey, type FolderKey, findFolderKey, storeGivenKey } from '../data-folder/encryption-key.ts'
import { createSnapshotInfo } from '../data-folder/pending-restore.ts'
import { otherProcesses, registerProcess } from '../data-folder/process-registry.ts'
import {
  checkValueOf,
  credentialsKey,
  databaseIdKey,
  keyCheckKey,
  openSharedSecrets,
  sealSharedSecrets,
} from '../data-folder/shared-secrets.ts'
import { type DistributionAccess, type DistributionTarget, openDistribution } from './distribute-data.ts'
import { TransferRefused } from './transfer-refused.ts'

/** What rows of a database need outside of it. */
interface TransferSecrets {
  readonly key: FolderKey | undefined
  /** Credentials of the database; undefined if they are those of the data folder. */
  readonly credentials: Credentials | undefined
}

async function readMeta(source: TransferSide, key: string): Promise<string | undefined> {
  const [row] = await source.query('select value from meta where key = ?1', [key])
  return row && String(row.value)
}

/**
 * Finds the encryption key and the credentials of a source. Throws DatabaseRefused if the source was encrypted with
 * another key than the one of the data folder or the given one.
 */
async function findSecrets(
  source: TransferSide,
  { dataDir, given }: { readonly dataDir: string; readonly given: GivenSecretKey | undefined },
): Promise<TransferSecrets> {
  const key = findFolderKey(dataDir, given)
  const check = source.dialect === 'postgres' ? await readMeta(source, keyCheckKey) : undefined
  const sealed = await findSealedText((statement) => source.query(statement))
  const isNeeded = check !== undefined || sealed !== undefined
  const isRight = (folder: FolderKey): boolean =>
    check === undefined ? keyMark(folder.key) === sealedWith(String(sealed)) : checkValueOf(folder.key) === check
  if (isNeeded && !(key && isRight(key)))
    throw new DatabaseRefused(
      key
        ? `${source.location} was encrypted with another key than the one of the data folder ${dataDir}.`
        : `${source.location} has encrypted secrets, and the data folder ${dataDir} has no encryption key.`,
      'Pass the file secret.key that belongs to the data with --secret-key-file, with a data folder that has no other key (PARLEY_DATA_DIR).',
    )
  const shared = key && check !== undefined ? await readMeta(source, credentialsKey) : undefined
  if (!key || shared === undefined) return { key, credentials: undefined }
  const secrets = openSharedSecrets(
    createVault(() => key.key),
    shared,
  )
  const own = readCredentials(dataDir)
  if (own?.secret === secrets.secret && own.control === secrets.control) return { key, credentials: undefined }
  const [row] = await source.query('select id from api_key where hash = ?1', [hashSecret(secrets.secret)])
  return { key, credentials: { ...secrets, key: row ? toToken(Number(row.id), secrets.secret) : null } }
}

/**
 * Stores the secrets of a source in the folder of the target. Throws TransferRefused, before anything is stored, if that
 * folder has others.
 */
function storeSecrets(
  { key, credentials }: TransferSecrets,
  folders: { readonly from: string; readonly to: string; readonly given: GivenSecretKey | undefined },
): void {
  const { from, to, given } = folders
  const conflict = (name: string): TransferRefused =>
    new TransferRefused(
      'conflict',
      `The folder ${to} has its own ${name}, which does not belong to the data.`,
      'Choose an empty folder with --to.',
    )
  const text = key?.key.toString('hex')
  const own = readText(join(to, dataFiles.key))?.trim()
  if (own !== undefined && text !== undefined && own !== text) throw conflict(dataFiles.key)
  const found = readCredentials(to)
  // Another server may have replaced the secrets that the folder has stored.
  if (found && from === to) return void (credentials && writeCredentials(to, { ...found, ...credentials }))
  const needed = credentials ?? readCredentials(from)
  if (found && needed && (found.secret !== needed.secret || found.control !== needed.control))
    throw conflict(dataFiles.credentials)
  makeFolder(to)
  // A key of the environment is not stored.
  if (text !== undefined && own === undefined && given?.isStored !== false)
    createFile(join(to, dataFiles.key), `${text}\n`)
  if (found) return
  if (credentials) createCredentials(to, credentials)
  else if (needed) createFile(join(to, dataFiles.credentials), readFileSync(join(from, dataFiles.credentials), 'utf8'))
}

/**
 * Stores in the target, in PostgreSQL, what a data folder that joins it needs: the id of the database, a check value of
 * the encryption key and the sealed credentials. Returns the id.
 */
async function shareSecrets(
  target: TransferSide,
  { dataDir, secrets }: { readonly dataDir: string; readonly secrets: TransferSecrets },
): Promise<string> {
  const { key } = secrets.key ?? createFolderKey(dataDir)
  const credentials = secrets.credentials ?? readCredentials(dataDir)
  const values: Record<string, string> = {
    [databaseIdKey]: crypto().randomUUID(),
    [keyCheckKey]: checkValueOf(key),
    ...(credentials && {
      [credentialsKey]: sealSharedSecrets(
        createVault(() => key),
        credentials,
      ),
    }),
  }
  for (const [name, value] of Object.entries(values))
    await target.query('insert into meta (key, value) values (?1, ?2) on conflict (key) do nothing', [name, value])
  return String(await readMeta(target, databaseIdKey))
}

const readText = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Runs `body` with a source, which is not changed. Rejects with StoreError or TransferRefused. */
async function withSource<T>(place: TransferPlace, body: (side: TransferSide) => Promise<T>): Promise<T> {
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
async function withTarget<T>(place: TransferPlace, body: (side: TransferSide) => Promise<T>): Promise<T> {
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
    for (const suffix of sqliteEnds) rmSync(`${partial}${suffix}`, { force: true })
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
  requireNoDistribution(await readMeta(side, distributionKey), side.location)
  const version = Number(row.value)
  if (version === schemaVersion) return
  throw new TransferRefused(
    'conflict',
    `${side.location} has schema ${version}, but this version of Parley uses ${schemaVersion}.`,
    version < schemaVersion
      ? 'Upgrade it first: run "parley server status" or start a server with this version of Parley.'
      : 'Upgrade Parley.',
  )
}

/** A PostgreSQL database, with the id that it must have if a data folder uses it. */
interface DatabasePlace {
  readonly url: URL
  readonly options: DatabaseOptions
  readonly id?: string
}

/** A data folder with a SQLite file. */
interface FolderPlace {
  readonly folder: string
}

/** A database to copy from or to. */
type TransferPlace = DatabasePlace | FolderPlace

/** Source and target of a migration, as the user names them. */
interface NamedPlaces {
  readonly dataDir: string
  /** URL of the source (default: the database of the data folder). */
  readonly from?: string | undefined
  /** URL of the target, or the absolute path of a folder for a SQLite file. */
  readonly to: string
  /** Settings of PostgreSQL databases. */
  readonly database?: DatabaseSettings | undefined
}

const isUrl = (text: string): boolean => /^[a-z]+:\/\//i.test(text)

function databaseAt(text: string, flag: string, settings: DatabaseSettings = {}): DatabasePlace {
  const { urls = [], secretKey: _, ...options } = settings
  return { url: withKnownPassword(parseDatabaseUrl(text, flag), urls), options }
}

/**
 * Returns source and target of a migration. @throws TransferRefused, DatabaseRefused, InvalidDatabaseUrl if they cannot
 * be used, before anything is opened
 */
function choosePlaces(named: NamedPlaces): { readonly from: TransferPlace; readonly to: TransferPlace } {
  const { dataDir, database } = named
  const from = chooseSource(named)
  const to = isUrl(named.to) ? databaseAt(named.to, '--to', database) : { folder: named.to }
  const isSame =
    'url' in from
      ? 'url' in to && locationOf(from.url) === locationOf(to.url)
      : 'folder' in to && from.folder === to.folder
  if (isSame)
    throw new TransferRefused('usage', 'Source and target are the same database.', 'Choose another target with --to.')
  if ('folder' in to && to.folder !== dataDir && readDatabaseFile(to.folder))
    throw new TransferRefused(
      'conflict',
      `The folder ${to.folder} uses a PostgreSQL database.`,
      'Choose an empty folder with --to.',
    )
  return { from, to }
}

function chooseSource({ dataDir, from, database = {} }: NamedPlaces): TransferPlace {
  if (from !== undefined) {
    if (isUrl(from)) return databaseAt(from, '--from', database)
    throw new TransferRefused('usage', 'Invalid --from.', 'Pass a URL, or set PARLEY_DATA_DIR to use another folder.')
  }
  const stored = readDatabaseFile(dataDir)
  if (!stored && readMarker(dataDir)?.database === undefined && existsSync(sqliteFile(dataDir)))
    return { folder: dataDir }
  const urls = (database.urls ?? []).filter((it) => it.use === 'given' || stored)
  const chosen = chooseDatabase(dataDir, { ...database, urls }, stored, () => {})
  if (!chosen)
    throw new TransferRefused(
      'usage',
      `The data folder ${dataDir} has no data.`,
      'Pass --from <url>, or set PARLEY_DATA_DIR.',
    )
  return { url: chosen.url, options: chosen.options, ...(stored && { id: stored.id }) }
}

/** Options of a migration. */
export interface MigrateOptions extends NamedPlaces {
  /** Compares with a target that has data, instead of refusing it. */
  readonly isVerifying: boolean
  /** Makes the data folder use the target: a database, or its own SQLite file. */
  readonly isSwitching?: boolean
  /** Receives what is being done, and its progress from 0 to 1. */
  readonly onProgress: (phase: 'copying' | 'verifying', part: number) => void
}

/** A process that migrates. */
interface MigratingProcess {
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
}

/** A table after a migration. */
interface MigratedTable {
  readonly table: string
  readonly rows: number
  readonly hash: string
  readonly status: 'ok' | 'differs'
  readonly target_rows: number
}

/** Result of a migration. The CLI prints it as JSON with these names, which scripts read: transfer-schemas.ts describes it. */
interface MigrationResult {
  /** Files, or hosts and names of databases. */
  readonly source: string
  readonly target: string
  /** False if a target with data was only compared. */
  readonly copied: boolean
  readonly rows: number
  readonly tables: readonly MigratedTable[]
}

/**
 * Copies all data of a platform to another database in one transaction, and compares both before it is saved. The source
 * is not changed. Rejects with TransferRefused, DatabaseRefused or StoreError.
 */
export async function migrateData(
  options: MigrateOptions,
  { pid, isAlive }: MigratingProcess,
): Promise<MigrationResult> {
  const { dataDir, isVerifying, isSwitching = false } = options
  if (!existsSync(dataDir))
    throw new TransferRefused('usage', `The data folder ${dataDir} does not exist.`, 'Set PARLEY_DATA_DIR.')
  const { from, to } = choosePlaces(options)
  const isOwnFolder = 'folder' in to && to.folder === dataDir
  if (isSwitching && (isVerifying || !('url' in to || isOwnFolder)))
    throw new TransferRefused(
      'usage',
      '--switch needs a URL or "sqlite" in --to, without --verify.',
      'To use another folder, set PARLEY_DATA_DIR to it after the migration.',
    )
  const leave = enterFolder(dataDir, { pid, isAlive })
  const given = options.database?.secretKey
  let databaseId = ''
  try {
    const result = await withSource(from, async (source) => {
      const secrets = await findSecrets(source, { dataDir, given })
      return withTarget(to, async (target) => {
        const tables = await matchTables(source, target, await listSchemaTables())
        for (const side of [source, target]) await requireOffline(side)
        await source.lock(tables)
        await target.lock(tables)
        const hasFile = 'folder' in to && existsSync(sqliteFile(to.folder))
        const isEmpty = !hasFile && (await findFilledTable(target, tables)) === undefined
        if (!isEmpty && !isVerifying && !isSwitching) throw notEmpty(target, isOwnFolder)
        if (isEmpty && 'folder' in to) storeSecrets(secrets, { from: dataDir, to: to.folder, given })
        const result = await compare(source, target, tables, { isCopied: isEmpty, onProgress: options.onProgress })
        // The process may have ended after the copy was saved, and before the folder was switched to it.
        if (isSwitching && !isSame(result)) throw notEmpty(target, isOwnFolder)
        if (isSwitching && 'url' in to) databaseId = await shareSecrets(target, { dataDir, secrets })
        return result
      })
    })
    if (isSwitching && 'url' in to) {
      storeGivenKey(dataDir, given)
      writeDatabaseFile(dataDir, toStored({ url: to.url, stored: undefined, options: to.options }, databaseId))
      markPlatform(dataDir, databaseId)
    }
    if (isSwitching && isOwnFolder) {
      markPlatform(dataDir, undefined)
      rmSync(databaseFile(dataDir), { force: true })
    }
    return result
  } finally {
    leave()
  }
}

const isSame = ({ tables }: MigrationResult): boolean => tables.every((it) => it.status === 'ok')

/** Registers the process, unless others use the folder. Throws TransferRefused. */
function enterFolder(dataDir: string, { pid, isAlive }: MigratingProcess): () => void {
  const others = otherProcesses(dataDir, pid, isAlive)
  if (others.length > 0)
    throw new TransferRefused(
      'conflict',
      `Other processes use the data folder ${dataDir}: ${others.join(', ')}.`,
      'Stop the server first: parley server stop.',
    )
  return registerProcess(dataDir, pid, isAlive)
}

const notEmpty = ({ location }: TransferSide, isOwnFolder: boolean): TransferRefused =>
  new TransferRefused(
    'conflict',
    `The target ${location} already has data${isOwnFolder ? ' from before the data folder used PostgreSQL' : ''}.`,
    isOwnFolder
      ? 'Move the file away, then run the command again.'
      : 'Choose an empty database or folder, or compare both with --verify.',
  )

/** Copies the rows if asked, and compares. Throws TransferRefused, so that nothing is saved, if the copy differs. */
async function compare(
  source: TransferSide,
  target: TransferSide,
  tables: readonly TableShape[],
  { isCopied, onProgress }: { readonly isCopied: boolean; readonly onProgress: MigrateOptions['onProgress'] },
): Promise<MigrationResult> {
  const total = await countAll(source, tables)
  const watch = (phase: 'copying' | 'verifying') => {
    const counts = new Map<string, number>()
    return (table: string, rows: number): void => {
      counts.set(table, rows)
      onProgress(phase, [...counts.values()].reduce((a, b) => a + b, 0) / Math.max(1, total))
    }
  }
  const read = isCopied
    ? await copyRows(source, target, tables, watch('copying'))
    : await digestTables(source, tables, watch('verifying'))
  const found = await digestTables(target, tables, watch('verifying'))
  const differing = await findDifferences(source, target, tables, [read, found])
  if (isCopied && differing.length > 0)
    throw new TransferRefused(
      'conflict',
      `The copy differs from the source in ${differing.join(', ')}. Nothing was saved.`,
      'Run the command again. If the error remains, report it: the data cannot be copied exactly.',
    )
  return {
    source: source.location,
    target: target.location,
    copied: isCopied,
    rows: read.reduce((sum, it) => sum + it.rows, 0),
    tables: read.map((table, n) => ({
      ...table,
      status: differing.includes(table.table) ? 'differs' : 'ok',
      target_rows: found[n]?.rows ?? 0,
    })),
  }
}

async function countAll(side: TransferSide, tables: readonly TableShape[]): Promise<number> {
  let sum = 0
  for (const { name } of tables) sum += Number((await side.query(`select count(*) as n from ${quoted(name)}`))[0]?.n)
  return sum
}

/** Throws TransferRefused if servers run on a PostgreSQL database. Those of a file are processes of its folder. */
async function requireOffline(side: TransferSide): Promise<void> {
  if (side.dialect === 'sqlite') return
  const rows = await side.query(
    `select host, pid from server_node where seen_at > extract(epoch from clock_timestamp()) * 1000 - ${nodeTimeoutMs}`,
  )
  if (rows.length === 0) return
  throw new TransferRefused(
    'conflict',
    `Servers run on ${side.location}: ${rows.map((it) => `process ${it.pid} on ${it.host}`).join(', ')}.`,
    'Stop them first.',
  )
}

/** Options of a backup. */
interface BackupOptions {
  readonly dataDir: string
  /** Absolute path of the backup. */
  readonly file: string
  /** Whether an existing file is replaced. */
  readonly isReplacing: boolean
}

/** A checked backup. The CLI prints it as JSON with these names, which scripts read: transfer-schemas.ts describes it. */
interface Backup extends CopyContent {
  readonly file: string
  readonly bytes: number
  readonly saved_at: string
}

/**
 * Copies the SQLite file of a data folder with its secrets to one file, in the format of snapshots, and checks the copy.
 * Other processes can read and write. Rejects with TransferRefused or StoreError; the file then does not exist, or is the
 * previous one.
 */
async function backUpFolder({ dataDir, file, isReplacing }: BackupOptions, wall: () => number): Promise<Backup> {
  const source = sqliteFile(dataDir)
  const current = existsSync(source) ? readCredentials(dataDir) : undefined
  if (!current) {
    requireFiles(dataDir, dataFiles.sqlite)
    throw new TransferRefused(
      'usage',
      `There is nothing to back up: the data folder ${dataDir} has no data yet.`,
      'Set PARLEY_DATA_DIR to the folder that has the data. To create sample data: parley server seed.',
    )
  }
  if (existsSync(file) && !isReplacing)
    throw new TransferRefused('conflict', `The file ${file} already exists.`, 'Choose another name, or pass --replace.')
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new TransferRefused(
      'usage',
      `Could not write ${file}: ${describeWriteError({ code: existsSync(folder) ? 'ENOTDIR' : 'ENOENT' })}.`,
      'Pass a file in a folder that exists.',
    )
  const connection = await openSqlite(source).catch((error: unknown) => throwDamaged(error, source))
  const draft = `${file}.unchecked`
  try {
    const saved_at = new Date(wall()).toISOString()
    const deps = { connection, clock: createClock(connection, wall), credentials: { current }, dataDir }
    const text = stringifyJson(await createSnapshotInfo(deps, saved_at))
    await connection.snapshots?.save(draft, text)
    const content = await requireCopy(draft)
    renameFile(draft, file)
    syncFolder(folder)
    return { file, bytes: statSync(file).size, saved_at, ...content }
  } catch (error) {
    return throwDamaged(error, source)
  } finally {
    rmSync(draft, { force: true })
    await connection.close()
  }
}

/** Rethrows an error. A damaged copy means a damaged database: the error names the database and what to do. */
function throwDamaged(error: unknown, source: string): never {
  if (!(error instanceof StoreError) || error.reason !== 'corrupt') throw error
  throw new TransferRefused(
    'usage',
    `The database ${source} is damaged. No backup was written.`,
    'To see the damage: parley server check. To replace the data by an earlier backup: parley server restore <file>.',
  )
}

/** Copies all data of a platform. */
export interface DataTransfer {
  /** Copies the data of a folder or database to another database. */
  migrateData(options: MigrateOptions): Promise<MigrationResult>
  /** Copies the SQLite file of a data folder, with its secrets, to a file. */
  backUpFolder(options: BackupOptions): Promise<Backup>
  /** Opens a PostgreSQL database to show how its tables are spread over nodes, and to spread them. */
  openDistribution(target: DistributionTarget): Promise<DistributionAccess>
}

/** Creates the functions for a process. `wall` returns the wall time in milliseconds. */
export const createDataTransfer = ({
  wall,
  ...migrating
}: MigratingProcess & { readonly wall: () => number }): DataTransfer => ({
  migrateData: (options) => migrateData(options, migrating),
  backUpFolder: (options) => backUpFolder(options, wall),
  openDistribution,
})
