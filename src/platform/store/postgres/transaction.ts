import { randomUUID } from 'node:crypto'
import { Kysely } from 'kysely'
import { realTime } from '../../../node/real-time.ts'
import { scopedQuery } from '../database/account-query.ts'
import { accountColumn } from '../database/account-tables.ts'
import type { WriteScope } from '../database/connection.ts'
import { isUniqueViolation } from '../database/store-error.ts'
import type { Tables } from '../database/tables.ts'
import { readClock } from './begin-statements.ts'
import type { DatabaseTime } from './connect.ts'
import { awaitReliance, isSameRow, isUnchanged, type KnownClock, type ReadClock } from './known-clock.ts'
import { type ExecuteStatement, postgresDialect } from './kysely-dialect.ts'
import type { PostgresClient } from './postgres-client.ts'
import type { PostgresResult, PostgresRow, PostgresStatement } from './statement-batch.ts'

/** Error when the clock was changed after it was read last. The transaction is repeated with the new clock. */
export class ClockChangedError extends Error {
  constructor() {
    super('The clock was changed.')
    this.name = 'ClockChangedError'
  }
}

const savepoint = 'one'

interface SharedTransactionOptions {
  /** Statements that begin it. */
  readonly begin: readonly PostgresStatement[]
  readonly clock: KnownClock
  /** The clock on which it relies, so that its statements do not read it. */
  readonly recentClock: ReadClock | undefined
  /** Whether its lock excludes changes of the clock. */
  readonly locksClock: boolean
  readonly time: DatabaseTime
  /** Whether each body has a savepoint, so that it can be reverted without the others. */
  readonly isDivided: boolean
}

/**
 * A transaction that several bodies share: one after the other, each in its savepoint, or those of several accounts at the
 * same time, without. `begin` and the lock are sent together with the first statement of the first body: the server runs them
 * in order.
 */
export class SharedTransaction {
  readonly #client: PostgresClient
  readonly #clock: KnownClock
  readonly #recentClock: ReadClock | undefined
  readonly #locksClock: boolean
  readonly #lockedClock: Promise<PostgresRow | undefined>
  readonly #isDivided: boolean
  #bodies = 0
  #hasSavepoint = false
  /** The row of the clock that bodies were given before `begin` was answered. */
  #givenClock: PostgresRow | undefined
  /** The row of the clock while the transaction holds its lock. */
  #confirmedClock: PostgresRow | undefined
  #isClockChanged = false
  #areAccountsChanged = false
  #hasScheduledJobs = false
  #lockedAccounts: ReadonlySet<number> = new Set()

  constructor(
    client: PostgresClient,
    { begin, clock, recentClock, locksClock, time, isDivided }: SharedTransactionOptions,
  ) {
    this.#client = client
    this.#clock = clock
    this.#recentClock = recentClock
    this.#locksClock = locksClock
    this.#isDivided = isDivided
    this.#lockedClock = this.#begin(begin, time, recentClock)
    this.#lockedClock.catch(() => {})
  }

  /** Runs a body with the queries of its scope. If it rejects, `rollBack` reverts it. */
  async run<T>(scope: WriteScope, body: (query: never) => Promise<T>): Promise<T> {
    if (this.#bodies++ > 0 && this.#isDivided) this.#startSavepoint()
    let isOver = false
    const execute: ExecuteStatement = (sql, parameters) => {
      if (isOver) throw new Error('This transaction has ended. Await its queries before it ends.')
      const table = changedTable(sql)
      if (table === 'clock') this.#startClockChange()
      if (accountColumn(table) !== undefined) this.#areAccountsChanged = true
      if (table === 'due' && schedulesJobs(sql)) this.#hasScheduledJobs = true
      return this.#client.executeTogether(sql, parameters)
    }
    const query = new Kysely<Tables>({
      dialect: postgresDialect(execute, (table) => (table === 'clock' ? this.#readClock() : undefined)),
    })
    try {
      const value = await body(scopedQuery(query, scope) as never)
      await this.confirm()
      return value
    } finally {
      isOver = true
    }
  }

  /** Whether a body has scheduled or released jobs, of which waiting processes should know. */
  get hasScheduledJobs(): boolean {
    return this.#hasScheduledJobs
  }

  /** Waits until the transaction holds its lock. @throws ClockChangedError if a body was given an older clock */
  async confirm(): Promise<void> {
    if (this.#confirmedClock) return
    const row = await this.#lockedClock
    if (!row) return
    if (this.#givenClock && !isSameRow(this.#givenClock, row)) throw new ClockChangedError()
    this.#confirmedClock = row
  }

  /** Waits until the transaction holds locks of several accounts, and returns the accounts. */
  async lockedAccounts(): Promise<ReadonlySet<number>> {
    await this.confirm()
    return this.#lockedAccounts
  }

  /** Reverts the last body. Returns false if this reverts the whole transaction. */
  async rollBackLast(): Promise<boolean> {
    if (!this.#hasSavepoint) return false
    await this.#client.runScript([`rollback to savepoint ${savepoint}`])
    return true
  }

  async rollBackAll(): Promise<void> {
    await this.#client.runScript(['rollback'])
  }

  /** Whether a statement has changed rows of an account. */
  get areAccountsChanged(): boolean {
    return this.#areAccountsChanged
  }

  /** Commits. @throws Error if a body has ignored the error of a statement, so that nothing can be saved */
  async commit(statements: readonly PostgresStatement[]): Promise<void> {
    if ((await this.#send(statements))?.command !== 'COMMIT')
      throw new Error('A transaction ignored the error of a statement.')
    if (this.#isClockChanged) this.#clock.onChanged()
  }

  /** Sends the statements that begin, and returns the row of the clock while the lock is held. */
  async #begin(
    statements: readonly PostgresStatement[],
    time: DatabaseTime,
    recent: ReadClock | undefined,
  ): Promise<PostgresRow | undefined> {
    const sentAt = realTime.monotonicMs()
    const rows = (await this.#send(statements))?.rows ?? []
    if (rows[0] === undefined) return undefined
    const { database_ms, locked_account, ...row } = rows[0]
    if (locked_account !== undefined) this.#lockedAccounts = new Set(rows.map((it) => Number(it.locked_account)))
    if (recent) return isUnchanged(recent) ? recent.row : this.#begin([readClock], time, undefined)
    // Waiting for a lock makes the answer late, which only makes the estimate less exact.
    time.onAnswer(Number(database_ms), sentAt, realTime.monotonicMs())
    this.#clock.onRead(row, this.#locksClock ? sentAt : undefined)
    return row
  }

  /** Sends statements and returns the result of the last one. */
  async #send(statements: readonly PostgresStatement[]): Promise<PostgresResult | undefined> {
    const results = statements.map(({ sql, parameters }) => this.#client.executeTogether(sql, parameters))
    return (await Promise.all(results)).at(-1)
  }

  #startSavepoint(): void {
    const statements = [...(this.#hasSavepoint ? ['release savepoint'] : []), 'savepoint']
    this.#hasSavepoint = true
    // If this fails, the next statement fails as well.
    this.#send(statements.map((it) => ({ sql: `${it} ${savepoint}`, parameters: [] }))).catch(() => {})
  }

  #startClockChange(): void {
    if (this.#isClockChanged) return
    this.#isClockChanged = true
    // If this fails, the next statement fails as well.
    this.#send([awaitReliance]).catch(() => {})
  }

  #readClock(): PostgresRow[] | undefined {
    if (this.#isClockChanged) return undefined
    const row = this.#confirmedClock ?? this.#recentClock?.row ?? this.#clock.row
    if (row === undefined) return undefined
    this.#givenClock ??= row
    return [{ ...row }]
  }
}

/** Returns the table that a statement changes; undefined for one that reads. */
const changedTable = (sql: string): string | undefined =>
  /^\s*(?:insert into|update|delete from|truncate table) "?(\w+)/.exec(sql)?.[1]

/** Leases are raw SQL without quotes, and need no other process, nor do jobs that are inserted with a lease. */
const schedulesJobs = (sql: string): boolean =>
  /^(?:insert into|update) "due"/.test(sql) && !/^insert into "due" \([^)]*"lease_owner"/.test(sql)

/** Hours after which a marker is not needed any more: its transaction has ended long ago. */
const retentionHours = 1

/**
 * One row that a transaction inserts right before its COMMIT. Citus commits a shard and a table of the coordinator one after
 * the other, so the marker of a transaction of an account on a shard lies on this shard. Any other transaction that
 * changes accounts on shards is committed in two phases.
 */
export interface CommitMarker {
  readonly id: string
  /** The account on whose shard it lies; undefined for a marker in the table of the coordinator. */
  readonly account: number | undefined
}

/** Creates the names of markers. */
export function createMarkerNames(): () => string {
  const prefix = randomUUID()
  let n = 0
  return () => `${prefix}:${++n}`
}

/** Returns the statements that commit a transaction with its marker, in one phase or in two. */
export const commitStatements = (marker: CommitMarker | undefined, hasTwoPhases: boolean): PostgresStatement[] => [
  ...(hasTwoPhases ? [changeAllNodes] : []),
  ...(marker === undefined ? [] : [insertMarker(marker)]),
  { sql: 'commit', parameters: [] },
]

/** Citus uses a two-phase commit for a transaction that changes a table with a copy on each node, and only for such a one if it changes one shard. */
const changeAllNodes: PostgresStatement = { sql: 'delete from account_name where kind = $1', parameters: [''] }

const insertMarker = ({ id, account }: CommitMarker): PostgresStatement =>
  account === undefined
    ? { sql: 'insert into commit_marker (id) values ($1)', parameters: [id] }
    : { sql: 'insert into account_commit (account_id, id) values ($1, $2)', parameters: [account, id] }

/**
 * Returns whether a transaction was committed whose connection was lost during the COMMIT. Inserts the same marker: if
 * that succeeds, the transaction was not committed, and it cannot be committed later either.
 */
export async function wasCommitted(client: PostgresClient, marker: CommitMarker): Promise<boolean> {
  const { sql, parameters } = insertMarker(marker)
  try {
    await client.execute(sql, parameters)
    return false
  } catch (error) {
    if (isUniqueViolation(error)) return true
    throw error
  }
}

/** Deletes markers of transactions that ended long ago, also those on all shards. */
export async function purgeMarkers(client: PostgresClient, isSharded: boolean): Promise<void> {
  for (const table of isSharded ? ['commit_marker', 'account_commit'] : ['commit_marker'])
    await client.runScript([`delete from ${table} where created_at < now() - interval '${retentionHours} hours'`])
}
