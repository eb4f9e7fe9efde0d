import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { isConflict, isStalePlan, storeError } from './postgres-store-errors.ts'
import { createPreparedPool } from './prepared-pool.ts'

/** Maximum number of attempts of a transaction that conflicts with others. */
const maxAttempts = 12
/** From this attempt, a transaction runs exclusively, so that transactions with repeated conflicts finish. */
const exclusiveFromAttempt = 4

/** Advisory lock of this program, "prly" and a number: one process changes the schema at a time. */
const schemaLockKey = 0x70_72_6c_79_01

const int8 = 20
const numeric = 1700

export interface PostgresOptions {
  /** Maximum number of connections (default: 10). */
  readonly connections?: number
}

/**
 * Opens a database on a server. Transactions are serializable, so that services can decide as on SQLite, where
 * transactions run one at a time. `bigint` values and their sums are returned as numbers. Connects at the first query,
 * which rejects with StoreError if that fails.
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { default: pg } = await import('pg')
  const where = databaseLocation(url)
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 10_000,
    application_name: 'parley',
    types: {
      getTypeParser: ((id: number, format: 'text') =>
        id === int8 || id === numeric ? Number : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
    },
  })
  // The server may close an idle connection; the pool opens another when needed.
  pool.on('error', () => {})
  // It may also end one between two statements of a transaction. The next statement fails, and the process continues.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPreparedPool(pool, where) }) })
  let closing: Promise<void> | undefined

  return {
    dialect: 'postgres',
    location: where,
    read,
    write: (_, body) => withConflictRetry(read, body, where),
    cachedRead: (_, read) => read(),
    runExclusively: (body) =>
      read
        .connection()
        .execute((connection) =>
          withAdvisoryLock(connection, schemaLockKey, () => connection.transaction().execute(body)),
        ),
    close: () => (closing ??= read.destroy()),
  }
}

async function withConflictRetry<T>(read: Query, body: (query: Query) => Promise<T>, where: string): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read
        .transaction()
        .setIsolationLevel('serializable')
        .execute(async (query) => {
          // Unlike other statements, a table lock precedes the snapshot: a transaction that waited for it sees the
          // changes of the others.
          await sql
            .raw(`lock table meta in ${attempt < exclusiveFromAttempt ? 'row share' : 'exclusive'} mode`)
            .execute(query)
          return body(query)
        })
    } catch (error) {
      if (!isConflict(error) && !isStalePlan(error)) throw error
      if (attempt === maxAttempts) throw storeError('busy', where, error)
    }
    await sleep(Math.random() * 5 * attempt)
  }
}

/** Takes the lock before the transaction: a lock taken inside would come after the snapshot. */
async function withAdvisoryLock<T>(connection: Query, lock: number, work: () => Promise<T>): Promise<T> {
  await sql`select pg_advisory_lock(${lock})`.execute(connection)
  try {
    return await work()
  } finally {
    // A lost connection has already released its locks.
    await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => undefined)
  }
}

/** Returns server, port and database, without the user and the password. */
function databaseLocation(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed ? `${parsed.host}${parsed.pathname}` : 'of the given URL'
}
