import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { isConflict, isStalePlan, storeError } from './postgres-store-errors.ts'
import { createPreparedPool } from './prepared-pool.ts'

/** How often a transaction that met another one is run at most. */
const maxAttempts = 12
/** From this attempt on a transaction runs while no other one does, so that those that keep meeting others come to their end. */
const exclusiveFromAttempt = 4

/** The advisory lock of this program, "prly" and a number: one process changes the schema at a time. */
const schemaLockKey = 0x70_72_6c_79_01

const int8 = 20
const numeric = 1700

export interface PostgresOptions {
  /** Connections at once; 10 unless told. */
  readonly connections?: number
}

/**
 * Opens a database on a server. Transactions are serializable, so that services may decide as they do on SQLite, where they run one at a time.
 * `bigint` and the sums of it come as numbers. Connects at the first query, which rejects with StoreError when it cannot.
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
  // The server may close an idle connection; the pool opens another when one is wanted.
  pool.on('error', () => {})
  // It may also end one between two statements of a transaction: the next statement fails, and the process goes on.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPreparedPool(pool, where) }) })
  let closing: Promise<void> | undefined

  return {
    dialect: 'postgres',
    location: where,
    read,
    write: (body) => withConflictRetry(read, body, where),
    cachedRead: (_, read) => read(),
    onRequest: () => {},
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
          // A lock on a table, unlike any other statement, comes before the snapshot: who waited for it sees what the others did.
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

/** Takes the lock before the transaction: one taken inside would come after the snapshot. */
async function withAdvisoryLock<T>(connection: Query, lock: number, work: () => Promise<T>): Promise<T> {
  await sql`select pg_advisory_lock(${lock})`.execute(connection)
  try {
    return await work()
  } finally {
    // A connection that is lost has let go of its locks already.
    await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => undefined)
  }
}

/** Server, port and database, without the user and the password. */
function databaseLocation(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed ? `${parsed.host}${parsed.pathname}` : 'of the given URL'
}
