import type { SqliteDatabase, SqliteStatement } from './driver.ts'

/** More than the keys and clocks of a busy platform; a stream of strangers must not fill the memory. */
const most = 1000

/** Far fewer connections than the system tells readable at one time. */
const atOnce = 64

/** When an answer of the counter stops to hold. */
export interface Turns {
  /** Runs work once everything that one event set off is done. */
  afterThis(work: () => void): void
  /** Runs work once everything that has come in at one time is dealt with. */
  afterAll(work: () => void): void
}

/**
 * What reads have found, for as long as the file has not changed since. SQLite itself tells, by a counter that every commit of another connection moves,
 * whichever process it is of; our own writes go through another connection too.
 */
export class Memory {
  readonly #database: SqliteDatabase
  readonly #turns: Turns
  readonly #known = new Map<string, Promise<unknown>>()
  #version: unknown
  #statement: SqliteStatement | undefined
  #isAsked = false
  /** Who has asked in this turn. */
  readonly #heard = new Set<object>()

  constructor(database: SqliteDatabase, turns: Turns) {
    this.#database = database
    this.#turns = turns
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

  /**
   * Told of a request that has just come in on the connection `from`. All whose connections were found readable at once were sent before the first of them is
   * looked at, so one answer of the counter is new enough for all. Another request on the same connection may have been sent later.
   */
  arrived(from: object): void {
    if (this.#heard.size === 0) this.#turns.afterAll(() => this.#forgetWhoAsked())
    if (this.#heard.has(from) || this.#heard.size % atOnce === 0) this.doubt()
    this.#heard.add(from)
  }

  #forgetWhoAsked(): void {
    this.#heard.clear()
    this.doubt()
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
    if (this.#heard.size === 0) this.#turns.afterThis(() => this.doubt())
  }
}
