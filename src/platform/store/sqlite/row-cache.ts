import type { RootOperationNode } from 'kysely'

type Rows = readonly Readonly<Record<string, unknown>>[]

/**
 * Caches rows of single tables on the connection that writes. They stay valid while it holds the lock, because no other
 * connection can write then. Every statement except reads and inserts into other tables clears the cache. Such inserts
 * change no other cached table, because triggers only update counters.
 */
export class TransactionRowCache {
  readonly #tables = new Map<string, Map<string, Rows>>()

  find(table: string, sql: string, parameters: readonly unknown[]): Record<string, unknown>[] | undefined {
    // Copies, because the caller may modify them.
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

  /** Called for each statement before it runs. Removes the rows that it may change. */
  onStatement(statement: RootOperationNode): void {
    if (this.#tables.size === 0 || statement.kind === 'SelectQueryNode') return
    const table = statement.kind === 'InsertQueryNode' ? statement.into?.table.identifier.name : undefined
    if (table === undefined) this.clear()
    else this.#tables.delete(table)
  }

  /** Clears the cache when another connection may have written, or after a rollback. */
  clear(): void {
    if (this.#tables.size > 0) this.#tables.clear()
  }
}

const cacheKey = (sql: string, parameters: readonly unknown[]): string =>
  [sql, ...parameters.map((it) => `${typeof it} ${it}`)].join('\0')
