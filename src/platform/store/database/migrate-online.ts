// Changes of the schema of a PostgreSQL database while other servers use its tables. What is missing is read from the catalog,
// so a process that was killed is continued by the next one. One process works at a time.

import { sql } from 'kysely'
import { messageOf } from '../../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { realTime, sleep } from '../../../node/real-time.ts'
import type { Database, Migration, OnlineStatement, PlatformQuery } from './connection.ts'
import { readMeta, writeMeta } from './meta.ts'
import { StoreError } from './store-error.ts'

/** What happens before the next transaction that changes the schema. */
export type NextStep = () => Promise<void>

type FindStatements = NonNullable<Migration['online']>

/**
 * Milliseconds for which a change of the schema waits for a table, and between two attempts. Other servers wait as long
 * for the same table.
 */
const lockTimeoutMs = 1000
const pauseMs = 1000
const maxAttempts = 60

/** Limits how long the statements that follow it in a transaction wait for a table. */
export const limitLocks = `set local lock_timeout = ${lockTimeoutMs}`

/** Repeats a change of the schema that waits for a table. Rejects with StoreError `busy` if it does not get it. */
export async function retryWhileLocked<T>(database: Database, body: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await body()
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (attempt === maxAttempts) throw lockedError(database.location)
      await sleep(pauseMs)
    }
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof StoreError && error.reason === 'busy' && (error.cause as { code?: unknown })?.code === '55P03'

const lockedError = (where: string): StoreError =>
  new StoreError(
    'busy',
    `The schema of ${where} cannot be upgraded, because another transaction uses its tables. Other servers continue with the previous version. End the transaction, then try again.`,
  )

/** The rows of tables may contradict a new key. The detail of PostgreSQL names one. */
function refusedError(where: string, statement: string, error: unknown): StoreError {
  const { detail } = error as { readonly detail?: string }
  return new StoreError(
    'other',
    `The schema of ${where} cannot be upgraded: ${messageOf(error)}.${detail ? ` ${detail}` : ''} The statement was: ${statement}. Correct the rows, then try again.`,
    error,
  )
}

/**
 * Milliseconds for which a process has the right to change the schema, and after which it renews it. A lock of its session
 * would not do: a pooler gives each transaction another session.
 */
const leaseMs = 10_000
const renewMs = 3000

/** Key in `meta` of the process that changes the schema, and of how far it is. */
const progressKey = 'schema_progress'

interface Progress {
  /** The process, and the time of the database in milliseconds at which another one may continue. */
  readonly server: string
  readonly until: number
  /** The statement that runs, and the number of those after it. */
  readonly statement: string
  readonly left: number
}

const now = (database: Database): number => database.wall?.() ?? realTime.now()

async function readProgress(query: PlatformQuery): Promise<Progress | undefined> {
  const text = await readMeta(query, progressKey)
  return text === undefined ? undefined : (parseJson(text) as Progress)
}

/**
 * Runs the statements in the transaction that creates the tables, which no other process can use yet. They are those of
 * migrations/online-indexes.ts, without ` concurrently`, which no transaction allows.
 */
export async function runAtOnce(query: PlatformQuery, findStatements: FindStatements): Promise<void> {
  for (let found = await findStatements(query); found.length > 0; found = await findStatements(query))
    for (const { sql: text } of found) await sql.raw(text.replace(' concurrently', '')).execute(query)
}

/**
 * Returns what runs the statements that are missing, or waits for the process that does; undefined if none is missing. The
 * caller calls it again afterwards.
 */
export async function nextOnlineStep(
  database: Database,
  query: PlatformQuery,
  findStatements: FindStatements,
  server: string,
): Promise<NextStep | undefined> {
  const other = await readProgress(query)
  if (other && other.server !== server && other.until > now(database)) return () => sleep(pauseMs)
  const statements = await findStatements(query)
  if (statements[0]) {
    const turn = new Turn(database, { server, statement: statements[0].sql, left: statements.length - 1 })
    await turn.take(query)
    return () => turn.run(statements)
  }
  await sql`delete from meta where key = ${progressKey}`.execute(query)
  return undefined
}

/** The right of this process to change the schema, which it renews while it runs statements. */
class Turn {
  readonly #database: Database
  #progress: Omit<Progress, 'until'>
  #until = 0

  constructor(database: Database, progress: Omit<Progress, 'until'>) {
    this.#database = database
    this.#progress = progress
  }

  async take(query: PlatformQuery): Promise<void> {
    const until = now(this.#database) + leaseMs
    await writeMeta(query, progressKey, stringifyJson({ ...this.#progress, until } satisfies Progress))
    this.#until = until
  }

  /** Runs the statements, until another process may have taken over. */
  async run(statements: readonly OnlineStatement[]): Promise<void> {
    let renewing: Promise<void> = Promise.resolve()
    const timer = realTime.setInterval(() => {
      renewing = this.#renew().catch(() => {})
    }, renewMs)
    try {
      await this.#database.withSession?.(async (run) => {
        for (const [n, { sql: statement, isBlocking }] of statements.entries()) {
          if (now(this.#database) >= this.#until) return
          this.#progress = { ...this.#progress, statement, left: statements.length - 1 - n }
          const running = isBlocking
            ? retryWhileLocked(this.#database, () => run(limitLocks, statement))
            : run(statement)
          await running.catch((error: unknown) => {
            throw error instanceof StoreError ? error : refusedError(this.#database.location, statement, error)
          })
        }
      })
    } finally {
      realTime.clearInterval(timer)
      await renewing
    }
  }

  #renew(): Promise<void> {
    return this.#database.runExclusively(async (query) => {
      if ((await readProgress(query))?.server === this.#progress.server) await this.take(query)
    })
  }
}
