import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.ts'

/** More than the keys and clocks of a busy platform. The limit keeps unknown clients from filling the memory. */
const maxEntries = 1000

/** Far fewer connections than the system reports as readable at once. */
const maxRequestsPerCheck = 64

interface CacheEntry {
  readonly reading: Promise<unknown>
  /** Its result, when it has ended. */
  result: unknown
}

/** Hooks that determine when a check of the data version expires. */
export interface EventLoopTurns {
  /** Runs work after the callbacks of the current event. */
  afterThisEvent(work: () => void): void
  /** Runs work after all events that arrived together are handled. */
  afterPendingEvents(work: () => void): void
}

/**
 * Caches results of reads until the file changes. SQLite reports changes with a counter (`data_version`) that increases
 * with commits of other connections in any process.
 * The writes of this process use another connection and are detected too.
 */
export class ReadCache {
  readonly #database: SqliteDatabase
  readonly #turns: EventLoopTurns
  readonly #entries = new Map<string, CacheEntry>()
  #version: unknown
  #statement: SqliteStatement | undefined
  #isVersionChecked = false
  /** Connections with a request in this turn of the event loop. */
  readonly #requestSources = new Set<object>()

  constructor(database: SqliteDatabase, turns: EventLoopTurns) {
    this.#database = database
    this.#turns = turns
  }

  cachedRead<T>(key: string, read: () => Promise<T>): Promise<T> {
    if (!this.#isVersionChecked) this.#checkVersion()
    const found = this.#entries.get(key)
    if (found) return found.reading as Promise<T>
    const reading = read()
    if (this.#entries.size >= maxEntries) this.#entries.clear()
    const entry: CacheEntry = { reading, result: undefined }
    this.#entries.set(key, entry)
    reading.then(
      (it) => {
        entry.result = it
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return reading
  }

  /** Returns the result of a cached read that has ended; undefined if there is none, or it may have changed. */
  cachedResult<T>(key: string): T | undefined {
    if (!this.#isVersionChecked) this.#checkVersion()
    return this.#entries.get(key)?.result as T | undefined
  }

  /**
   * Called for a request that was just read from the connection `from`.
   * Requests on connections that became readable together were sent before the first of them is handled, so one check
   * of the counter is recent enough for all. A second request on the same connection may have been sent later.
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

  /** Requires a new check of the counter before the next result. */
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
