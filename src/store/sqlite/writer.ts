import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '../connection.ts'
import { DirectQuery } from '../question.ts'
import { SqliteConnection, sqliteDialect } from './dialect.ts'
import type { SqliteDatabase } from './driver.ts'
import { Kept } from './kept.ts'
import { patiently } from './patience.ts'
import { toStoreError } from './refusals.ts'

/** A COMMIT is shared by this many transactions at most, begun within this time. */
const group = { size: 128, ms: 25 }

/** Whoever held the lock for so long on end lets others have it: they ask every millisecond. */
const pace = { heldMs: 40, restMs: 2 }

interface Waiting {
  readonly body: (query: Query) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Done extends Waiting {
  readonly value: unknown
}

export interface WriterOptions {
  readonly file: string
  /** Opens the connection that writes, at the first write. */
  readonly open: () => Promise<SqliteDatabase>
  /** Told of every COMMIT before those who wait for it. */
  readonly committed: () => void
  /** Milliseconds to wait for other processes. */
  readonly patienceMs: number
}

/** Runs write transactions one at a time; those queued in one turn of the event loop share a COMMIT, each in its own savepoint. */
export class Writer {
  readonly #options: WriterOptions
  readonly #queue: Waiting[] = []
  readonly #kept = new Kept()
  #database: SqliteDatabase | undefined
  #connection: SqliteConnection | undefined
  #draining: Promise<void> | undefined
  #closed = false
  #heldMs = 0
  #freeSince = 0

  constructor(options: WriterOptions) {
    this.#options = options
  }

  write<T>(body: (query: Query) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The database is closed.'))
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ body, resolve: resolve as (value: unknown) => void, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Waits for what is queued, then closes; true when anything was written. */
  async close(): Promise<boolean> {
    this.#closed = true
    await this.#draining
    this.#database?.close()
    return this.#database !== undefined
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await nextTurn()
      try {
        await this.#rest()
        const database = (this.#database ??= await this.#options.open())
        this.#connection ??= new SqliteConnection(database, this.#options.file, this.#kept)
        await patiently(() => database.exec('BEGIN IMMEDIATE'), this.#options.patienceMs)
        await this.#runGroup(database, this.#connection)
      } catch (error) {
        const failure = toStoreError(error, this.#options.file)
        for (const { reject } of this.#queue.splice(0)) reject(failure)
      }
    }
    this.#draining = undefined
  }

  /** Leaves a gap for other processes after writing without one. */
  async #rest(): Promise<void> {
    if (performance.now() - this.#freeSince > pace.restMs) this.#heldMs = 0
    if (this.#heldMs < pace.heldMs) return
    this.#heldMs = 0
    await sleep(pace.restMs)
  }

  /** From after BEGIN to after COMMIT. Settles every transaction it takes from the queue, and never throws. */
  async #runGroup(database: SqliteDatabase, connection: SqliteConnection): Promise<void> {
    const begun = performance.now()
    this.#kept.forget()
    const done: Done[] = []
    let intact = true
    for (let taken = 0; intact && taken < group.size && performance.now() - begun < group.ms; taken++) {
      const next = this.#queue.shift()
      if (!next) break
      const alone = taken === 0 && this.#queue.length === 0
      try {
        if (!alone) database.exec('SAVEPOINT one')
        const value = await run(next.body, connection)
        if (!alone) database.exec('RELEASE one')
        done.push({ ...next, value })
      } catch (error) {
        this.#kept.forget()
        intact = !alone && undo(database)
        next.reject(toStoreError(error, this.#options.file))
      }
    }
    if (intact) this.#commit(database, done)
    else {
      rollBack(database)
      // A full disk may undo more than the savepoint of the one that met it: the others are done again.
      this.#queue.unshift(...done)
    }
    this.#freeSince = performance.now()
    this.#heldMs += this.#freeSince - begun
  }

  #commit(database: SqliteDatabase, done: readonly Done[]): void {
    try {
      database.exec('COMMIT')
      this.#options.committed()
      for (const { resolve, value } of done) resolve(value)
    } catch (error) {
      rollBack(database)
      const failure = toStoreError(error, this.#options.file)
      for (const { reject } of done) reject(failure)
    }
  }
}

/** Runs a body with queries that work until it has ended, and not a turn longer: meanwhile everybody else waits for the lock. */
async function run(body: (query: Query) => Promise<unknown>, connection: SqliteConnection): Promise<unknown> {
  let over = false
  const own = (): SqliteConnection => {
    if (over) throw new Error('This transaction has ended: its queries must be awaited, and not kept.')
    return connection
  }
  const query = new DirectQuery({ dialect: sqliteDialect(own) }, (question, parameters) => own().ask(question, parameters))
  let late: NodeJS.Immediate | undefined
  const turnOver = new Promise<never>((_, reject) => {
    late = setImmediate(() => reject(new Error('A transaction awaited something other than its queries.')))
  })
  try {
    return await Promise.race([body(query), turnOver])
  } finally {
    over = true
    clearImmediate(late)
  }
}

/** Undoes one savepoint; false when the whole transaction is gone. */
function undo(database: SqliteDatabase): boolean {
  try {
    database.exec('ROLLBACK TO one; RELEASE one')
    return true
  } catch {
    return false
  }
}

/** Ends the transaction if there still is one. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has rolled back by itself.
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
