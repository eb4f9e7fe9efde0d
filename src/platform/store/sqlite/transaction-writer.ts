import { FairQueue } from '../../../node/fair-queue.ts'
import { realTime, sleep, yieldToEventLoop } from '../../../node/real-time.ts'
import { keepTrace } from '../../../node/trace.ts'
import { accountOf, scopedQuery } from '../database/account-query.ts'
import type { ScopedQuery, WriteScope } from '../database/connection.ts'
import { SqliteConnection, sqliteQuery, TransactionRowCache } from './kysely-dialect.ts'
import type { SqliteDatabase } from './libsql-driver.ts'
import { retryWhileBusy } from './open-connection.ts'
import { toStoreError } from './sqlite-store-errors.ts'

/** Maximum number of transactions that share a COMMIT, and the time in which they must start. */
const groupCommit = { size: 128, ms: 25 }

/**
 * After holding the lock for `heldMs` without a gap, the writer pauses so that other processes, which try every
 * millisecond, can take it.
 */
const lockSharing = { heldMs: 40, restMs: 2 }

/** Whose turn a transaction takes: that of its account, or that of all which name none. */
const callerOf = ({ scope }: Pick<QueuedTransaction, 'scope'>): number => accountOf(scope) ?? 0

interface QueuedTransaction {
  readonly scope: WriteScope
  readonly body: (query: never) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface CompletedTransaction extends QueuedTransaction {
  readonly value: unknown
}

/** The database file that a writer writes, and what it does around each commit. */
export interface TransactionWriterOptions {
  readonly file: string
  /** Opens the connection that writes, at the first write. */
  readonly open: () => Promise<SqliteDatabase>
  /** Checks before every group of transactions that the file is still there. @throws StoreError */
  readonly requireInPlace?: () => void
  /** Called after every COMMIT, before its transactions resolve. */
  readonly onCommit: () => void
  /** Milliseconds to wait for other processes. */
  readonly lockTimeoutMs: number
}

/**
 * Runs write transactions one at a time; the accounts take turns. Those queued in one event loop turn share a COMMIT, each
 * in a savepoint.
 */
export class TransactionWriter {
  readonly #options: TransactionWriterOptions
  readonly #queue = new FairQueue<QueuedTransaction>()
  readonly #rowCache = new TransactionRowCache()
  #database: SqliteDatabase | undefined
  #connection: SqliteConnection | undefined
  #draining: Promise<void> | undefined
  /** Statistics for the metrics. */
  readonly statistics = { committed: 0, rolledBack: 0, repeated: 0 }
  #closed = false
  #heldMs = 0
  #freeSince = 0
  /** Ends with the turn of the event loop in which the transactions of a group run. */
  #turnTimer: NodeJS.Immediate | undefined
  /** Rejects the transaction that runs. */
  #onTurnOver: (() => void) | undefined

  constructor(options: TransactionWriterOptions) {
    this.#options = options
  }

  write<T, S extends WriteScope>(scope: S, body: (query: ScopedQuery<S>) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The database is closed.'))
    return new Promise<T>((resolve, reject) => {
      const transaction = { scope, body: keepTrace(body), resolve: resolve as (value: unknown) => void, reject }
      this.#queue.add(callerOf(transaction), transaction)
      this.#draining ??= this.#drain()
    })
  }

  /** Waits for queued transactions, then closes. Returns true if the connection was opened for writing. */
  async close(): Promise<boolean> {
    this.#closed = true
    await this.#draining
    this.#database?.close()
    return this.#database !== undefined
  }

  async #drain(): Promise<void> {
    while (this.#queue.size > 0) {
      await yieldToEventLoop()
      try {
        await this.#yieldLock()
        this.#options.requireInPlace?.()
        const database = (this.#database ??= await this.#options.open())
        this.#connection ??= new SqliteConnection(database, this.#options.file, this.#rowCache)
        await retryWhileBusy(() => database.exec('BEGIN IMMEDIATE'), this.#options.lockTimeoutMs)
        await this.#runGroup(database, this.#connection)
      } catch (error) {
        const failure = toStoreError(error, this.#options.file)
        for (const { reject } of this.#queue.clear()) reject(failure)
      }
    }
    this.#draining = undefined
  }

  /** Pauses for other processes after writing without a gap. */
  async #yieldLock(): Promise<void> {
    if (realTime.monotonicMs() - this.#freeSince > lockSharing.restMs) this.#heldMs = 0
    if (this.#heldMs < lockSharing.heldMs) return
    this.#heldMs = 0
    await sleep(lockSharing.restMs)
  }

  /** Runs transactions from after BEGIN to after COMMIT. Settles each transaction that it takes, and never throws. */
  async #runGroup(database: SqliteDatabase, connection: SqliteConnection): Promise<void> {
    const startedAt = realTime.monotonicMs()
    let bodyStartedAt = startedAt
    this.#rowCache.clear()
    const done: CompletedTransaction[] = []
    let intact = true
    for (let taken = 0; intact && taken < groupCommit.size && bodyStartedAt - startedAt < groupCommit.ms; taken++) {
      const next = this.#queue.take()
      if (!next) break
      const alone = taken === 0 && this.#queue.size === 0
      try {
        if (!alone) database.exec('SAVEPOINT one')
        const value = await this.#runBody(next, connection)
        if (!alone) database.exec('RELEASE one')
        done.push({ ...next, value })
      } catch (error) {
        this.#rowCache.clear()
        intact = !alone && rollBackSavepoint(database)
        next.reject(toStoreError(error, this.#options.file))
      }
      const endedAt = realTime.monotonicMs()
      this.#queue.end(callerOf(next), endedAt - bodyStartedAt)
      bodyStartedAt = endedAt
    }
    if (intact) this.#commit(database, done)
    else {
      rollBack(database)
      // A full disk may undo more than the savepoint of the failed transaction, so the others run again.
      for (const transaction of done.toReversed()) this.#queue.putBack(callerOf(transaction), transaction)
      this.statistics.rolledBack++
      this.statistics.repeated += done.length
    }
    this.#freeSince = realTime.monotonicMs()
    this.#heldMs += this.#freeSince - startedAt
  }

  /**
   * Runs a body with queries that work only until it ends. Rejects if the body waits for a turn of the event loop,
   * because other writers wait for it.
   */
  #runBody({ scope, body }: QueuedTransaction, connection: SqliteConnection): Promise<unknown> {
    let isOver = false
    const query = sqliteQuery(() => {
      if (isOver) throw new Error('This transaction has ended. Await its queries before it ends.')
      return connection
    })
    return new Promise<unknown>((resolve, reject) => {
      this.#onTurnOver = () => reject(new Error('A transaction awaited something other than its queries.'))
      this.#turnTimer ??= realTime.setImmediate(() => {
        this.#turnTimer = undefined
        this.#onTurnOver?.()
      })
      body(scopedQuery(query, scope) as never).then(resolve, reject)
    }).finally(() => {
      isOver = true
      this.#onTurnOver = undefined
    })
  }

  #commit(database: SqliteDatabase, done: readonly CompletedTransaction[]): void {
    try {
      database.exec('COMMIT')
      this.statistics.committed++
      this.#options.onCommit()
      for (const { resolve, value } of done) resolve(value)
    } catch (error) {
      rollBack(database)
      this.statistics.rolledBack++
      const failure = toStoreError(error, this.#options.file)
      for (const { reject } of done) reject(failure)
    }
  }
}

/** Rolls back one savepoint. Returns false if the whole transaction is gone. */
function rollBackSavepoint(database: SqliteDatabase): boolean {
  try {
    database.exec('ROLLBACK TO one; RELEASE one')
    return true
  } catch {
    return false
  }
}

/** Rolls back the transaction, if there still is one. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has already rolled back.
  }
}
