import { existsSync, statSync } from 'node:fs'
import type { PostgresOptions } from '../postgres/settings.ts'
import { createFromTemplate } from '../sqlite/schema-template.ts'
import type { Connection, Database } from './connection.ts'
import { migrate } from './migrate.ts'

/**
 * SQLite file or URL of a PostgreSQL database. For a file: the maximum number of 4 KiB pages, for tests of a full disk,
 * whether commits must survive a power failure, whether it is deleted when it is closed, and where the template of new
 * files is stored.
 */
export type StoreTarget =
  | {
      readonly file: string
      readonly maxPages?: number
      readonly durable?: boolean
      readonly isTemporary?: boolean | undefined
      readonly template?: string | undefined
    }
  | { readonly url: string; readonly options?: PostgresOptions }

/** How a database is opened. */
export interface OpenOptions {
  /** Runs before the schema is changed, and may reject. */
  readonly check?: (database: Connection) => Promise<void>
  /** Version of this program, for the messages of other versions. */
  readonly version?: string | undefined
}

/**
 * Opens the database and brings its schema up to date.
 * Rejects with StoreError if the database cannot be opened or reached, is damaged or full, or has a newer schema.
 */
export async function openStore(target: StoreTarget, { check, version }: OpenOptions = {}): Promise<Connection> {
  const database = await openDatabaseAt(target, version)
  try {
    await check?.(database)
    await migrate(database, { version })
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

const sqlite = () => import('../sqlite/open-sqlite.ts')

async function openDatabaseAt(target: StoreTarget, version: string | undefined): Promise<Database> {
  if ('url' in target) return (await import('../postgres/open-postgres.ts')).openPostgres(target.url, target.options)
  const { file, maxPages, durable = true, isTemporary, template } = target
  if (template !== undefined && maxPages === undefined && !existsSync(file)) {
    await createFromTemplate(file, { template, durable, build: (path) => createEmpty(path, version) })
  }
  return (await sqlite()).openSqlite(file, { maxPages, durable, isTemporary })
}

/** Creates a file with the current schema and no rows. */
async function createEmpty(file: string, version: string | undefined): Promise<void> {
  const database = await (await sqlite()).openSqlite(file)
  try {
    await migrate(database, { version })
  } finally {
    await database.close()
  }
  if (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) throw new Error('The template is incomplete.')
}
