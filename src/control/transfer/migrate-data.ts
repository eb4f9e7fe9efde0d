import { existsSync, rmSync } from 'node:fs'
import { markPlatform } from '../../node/folder-marker.ts'
import { listSchemaTables } from '../../store/database/migrate.ts'
import { nodeTimeoutMs } from '../../store/runtime/server-nodes.ts'
import {
  copyRows,
  digestTables,
  findDifferences,
  findFilledTable,
  matchTables,
} from '../../store/transfer/copy-data.ts'
import { quoted, type TableShape, type TransferSide } from '../../store/transfer/transfer-side.ts'
import { toStored } from '../data-folder/choose-database.ts'
import { databaseFile, sqliteFile, writeDatabaseFile } from '../data-folder/database-file.ts'
import { storeGivenKey } from '../data-folder/folder-key.ts'
import { otherProcesses, registerProcess } from '../data-folder/process-registry.ts'
import { withSource, withTarget } from './open-sides.ts'
import { choosePlaces, type NamedPlaces } from './transfer-places.ts'
import { TransferRefused } from './transfer-refused.ts'
import { findSecrets, shareSecrets, storeSecrets } from './transfer-secrets.ts'

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
export interface MigratingProcess {
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
}

/** A table after a migration. */
export interface MigratedTable {
  readonly table: string
  readonly rows: number
  readonly hash: string
  readonly status: 'ok' | 'differs'
  readonly target_rows: number
}

/** Result of a migration. */
export interface MigrationResult {
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
    tables: read.map((it, n) => ({
      ...it,
      status: differing.includes(it.table) ? 'differs' : 'ok',
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
