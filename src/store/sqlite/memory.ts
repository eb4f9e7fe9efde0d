import type { SqliteDatabase, SqliteStatement } from './driver.ts'

/** More than the keys and clocks of a busy platform; a stream of strangers must not fill the memory. */
const most = 1000

/**
 * What reads have found, for as long as the file has not changed since. SQLite itself tells, by a counter that every commit of another connection moves,
 * whichever process it is of; our own writes go through another connection too.
 */
export class Memory {
  readonly #database: SqliteDatabase
  readonly #afterThis: (work: () => void) => void
  readonly #known = new Map<string, Promise<unknown>>()
  #version: unknown
  #statement: SqliteStatement | undefined
  #isAsked = false

  /** `afterThis` runs work once everything that one event set off is done: only so long does an answer of the counter hold. */
  constructor(database: SqliteDatabase, afterThis: (work: () => void) => void) {
    this.#database = database
    this.#afterThis = afterThis
  }

  recall<T>(key: string, read: () => Promise<T>): Promise<T> {
    if (!this.#isAsked) this.#ask()
    const found = this.#known.get(key) as Promise<T> | undefined
    if (found) return found
    const reading = read()
    if (this.#known.size >= most) this.#known.clear()
    this.#known.set(key, reading)
    reading.catch(() => this.#known.delete(key))
    return reading
  }

  /** Asks the counter again before the next answer. */
  doubt(): void {
    this.#isAsked = false
  }

  #ask(): void {
    this.#statement ??= this.#database.prepare('PRAGMA data_version')
    const version = this.#statement.get([])?.['data_version']
    if (version !== this.#version) this.#known.clear()
    this.#version = version
    this.#isAsked = true
    this.#afterThis(() => this.doubt())
  }
}
