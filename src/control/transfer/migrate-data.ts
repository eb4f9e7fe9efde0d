import { existsSync } from 'node:fs'
import { crypto } from '../../node/crypto.ts'
import { withoutPassword } from '../../node/database-url.ts'
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
import { writeDatabaseFile } from '../data-folder/database-file.ts'
import { otherProcesses, registerProcess } from '../data-folder/process-registry.ts'
import { databaseIdKey } from '../data-folder/shared-secrets.ts'
import { copyFolderSecrets } from './copy-folder-secrets.ts'
import { sqliteFileOf, type TransferPlace, withSource, withTarget } from './open-sides.ts'
import { TransferRefused } from './transfer-refused.ts'

/** Options of a migration. */
export interface MigrateOptions {
  readonly dataDir: string
  /** URL of the source (default: the SQLite file of the data folder). */
  readonly from?: string
  /** URL of the target, or the absolute path of a folder for a SQLite file. */
  readonly to: string
  /** Compares with a target that has data, instead of refusing it. */
  readonly isVerifying: boolean
  /** Makes the data folder use the target, which must be in PostgreSQL. */
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

const isUrl = (text: string): boolean => /^[a-z]+:\/\//i.test(text)

function placeOf(text: string, flag: string): TransferPlace {
  if (!isUrl(text)) return { folder: text }
  if (/^postgres(ql)?:\/\//i.test(text) && URL.canParse(text)) return { url: text }
  throw new TransferRefused(
    'usage',
    `Invalid URL in ${flag}.`,
    `Pass postgres://user@host/name${flag === '--to' ? ', or a folder for a SQLite file' : ''}.`,
  )
}

/**
 * Copies all data of a platform to another database in one transaction, and compares both before it is saved. The source
 * is not changed. Rejects with TransferRefused or StoreError.
 */
export async function migrateData(
  options: MigrateOptions,
  { pid, isAlive }: MigratingProcess,
): Promise<MigrationResult> {
  const { dataDir, isVerifying } = options
  const from = options.from === undefined ? { folder: dataDir } : placeOf(options.from, '--from')
  const to = placeOf(options.to, '--to')
  if ('folder' in from && options.from !== undefined)
    throw new TransferRefused('usage', 'Invalid --from.', 'Pass a URL, or set PARLEY_DATA_DIR to use another folder.')
  if (JSON.stringify(from) === JSON.stringify(to))
    throw new TransferRefused('usage', 'Source and target are the same database.', 'Choose another target with --to.')
  if (!existsSync(dataDir))
    throw new TransferRefused('usage', `The data folder ${dataDir} does not exist.`, 'Set PARLEY_DATA_DIR.')
  if (options.isSwitching && (!('url' in to) || isVerifying))
    throw new TransferRefused('usage', '--switch needs a URL in --to, without --verify.', 'Remove --switch.')
  const databaseId = options.isSwitching ? crypto().randomUUID() : undefined
  const others = otherProcesses(dataDir, pid, isAlive)
  if (others.length > 0)
    throw new TransferRefused(
      'conflict',
      `Other processes use the data folder ${dataDir}: ${others.join(', ')}.`,
      'Stop the server first: parley server stop.',
    )
  const leave = registerProcess(dataDir, pid, isAlive)
  try {
    const result = await withSource(from, (source) =>
      withTarget(to, async (target) => {
        const tables = await matchTables(source, target, await listSchemaTables())
        for (const side of [source, target]) await requireOffline(side)
        await source.lock(tables)
        await target.lock(tables)
        const hasFile = 'folder' in to && existsSync(sqliteFileOf(to.folder))
        const isEmpty = !hasFile && (await findFilledTable(target, tables)) === undefined
        if (!isEmpty && !isVerifying) throw notEmpty(target)
        if (isEmpty && 'folder' in to) copyFolderSecrets(dataDir, to.folder)
        const result = await compare(source, target, tables, { isCopied: isEmpty, onProgress: options.onProgress })
        if (databaseId !== undefined) await writeDatabaseId(target, databaseId)
        return result
      }),
    )
    const isSame = result.tables.every((it) => it.status === 'ok')
    if (databaseId !== undefined && isSame && 'url' in to)
      writeDatabaseFile(dataDir, { url: withoutPassword(new URL(to.url)).href, id: databaseId })
    return result
  } finally {
    leave()
  }
}

const notEmpty = ({ location }: TransferSide): TransferRefused =>
  new TransferRefused(
    'conflict',
    `The target ${location} already has data.`,
    'Choose an empty database or folder, or compare both with --verify.',
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

/** Identifies the target, so that the data folder notices another database under the same URL. */
async function writeDatabaseId(target: TransferSide, id: string): Promise<void> {
  await target.query('insert into meta (key, value) values (?1, ?2)', [databaseIdKey, id])
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
