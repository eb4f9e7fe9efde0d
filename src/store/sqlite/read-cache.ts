import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.ts'

/** More than the keys and clocks of a busy platform; a stream of strangers must not fill the memory. */
const maxEntries = 1000

/** Far fewer connections than the system tells readable at one time. */
const maxRequestsPerCheck = 64

/** When an answer of the counter stops to hold. */
export interface EventLoopTurns {
  /** Runs work once everything that one event set off is done. */
  afterThisEvent(work: () => void): void
  /** Runs work once everything that has come in at one time is dealt with. */
  afterPendingEvents(work: () => void): void
}

/**
 * What reads have found, for as long as the file has not changed since. SQLite itself tells, by a counter that every commit of another connection moves,
 * whichever process it is of; our own writes go through another connection too.
 */
export class ReadCache {
  readonly #database: SqliteDatabase
  readonly #turns: EventLoopTurns
  readonly #entries = new Map<string, Promise<unknown>>()
  #version: unknown
  #statement: SqliteStatement | undefined
  #isVersionChecked = false
  /** Who has asked in this turn. */
  readonly #requestSources = new Set<object>()

  constructor(database: SqliteDatabase, turns: EventLoopTurns) {
    this.#database = database
    this.#turns = turns
  }

  cachedRead<T>(key: string, read: () => Promise<T>): Promise<T> {
    if (!this.#isVersionChecked) this.#checkVersion()
    const found = this.#entries.get(key) as Promise<T> | undefined
    if (found) return found
    const reading = read()
    if (this.#entries.size >= maxEntries) this.#entries.clear()
    this.#entries.set(key, reading)
    reading.catch(() => this.#entries.delete(key))
    return reading
  }

  /**
   * Told of a request that has just come in on the connection `from`. All whose connections were found readable at once were sent before the first of them is
   * looked at, so one answer of the counter is new enough for all. Another request on the same connection may have been sent later.
   */
  onRequest(from: object): void {
    if (this.#requestSources.size === 0) this.#turns.afterPendingEvents(() => this.#clearRequestSources())
    if (this.#requestSources.has(from) || this.#requestSources.size % maxRequestsPerCheck === 0) this.invalidate()
    this.#requestSources.add(from)
  }

  #clearRequestSources(): void {
    this.#requestSources.clear()
    this.invalidate()
  }

  /** Asks the counter again before the next answer. */
  invalidate(): void {
    this.#isVersionChecked = false
  }

  #checkVersion(): void {
    this.#statement ??= this.#database.prepare('PRAGMA data_version')
    const version = this.#statement.get([])?.data_version
    if (version !== this.#version) this.#entries.clear()
    this.#version = version
    this.#isVersionChecked = true
    if (this.#requestSources.size === 0) this.#turns.afterThisEvent(() => this.invalidate())
  }
}
