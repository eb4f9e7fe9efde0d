type Rows = readonly Readonly<Record<string, unknown>>[]

/**
 * Rows of single tables that were read by the connection that writes, for as long as nobody can have written them: others not while it holds the lock.
 * It is told of every statement, and forgets with all but reads and inserts into other tables: those touch nothing else, as triggers only keep counters.
 */
export class TransactionRowCache {
  readonly #tables = new Map<string, Map<string, Rows>>()

  find(table: string, sql: string, parameters: readonly unknown[]): Record<string, unknown>[] | undefined {
    // Copies: whose they are may change them.
    return this.#tables
      .get(table)
      ?.get(cacheKey(sql, parameters))
      ?.map((it) => ({ ...it }))
  }

  add(table: string, sql: string, parameters: readonly unknown[], rows: Rows): void {
    const known = this.#tables.get(table) ?? new Map<string, Rows>()
    this.#tables.set(table, known)
    known.set(
      cacheKey(sql, parameters),
      rows.map((it) => ({ ...it })),
    )
  }

  /** Told of a statement before it runs. */
  onStatement(sql: string): void {
    if (this.#tables.size === 0 || sql.startsWith('select ')) return
    const [, table] = /^insert into "(\w+)"/.exec(sql) ?? []
    if (table === undefined) this.clear()
    else this.#tables.delete(table)
  }

  /** Somebody may have written, or what was written is taken back. */
  clear(): void {
    if (this.#tables.size > 0) this.#tables.clear()
  }
}

const cacheKey = (sql: string, parameters: readonly unknown[]): string =>
  [sql, ...parameters.map((it) => `${typeof it} ${it}`)].join('\0')
