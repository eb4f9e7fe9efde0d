import type { Compilable, CompiledQuery, RootOperationNode } from 'kysely'
import type { Query } from './connection.ts'
import { DirectQuery, type PreparedStatement } from './prepared-statement.ts'

/** Placeholder for a parameter while a query is compiled. */
class ParameterPlaceholder {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

export interface CompiledQueryOptions {
  /** Whether it returns at most one row. */
  readonly isSingleRow?: boolean
  /**
   * The only table that it reads, which has few rows and is rarely written, so that a transaction may cache them. Only
   * for a `select`.
   */
  readonly cacheTable?: string
  /**
   * What `build` returns on SQLite, for queries of most commands: compiling them loads kysely, which takes longer than
   * the command. `parameters` returns the values that are bound (default: those of the call).
   */
  readonly sqlite?: { readonly sql: string; readonly parameters?: (...given: readonly unknown[]) => readonly unknown[] }
}

/** Query builder that has rows of some tables before it asks for them. */
interface PrefetchedQuery {
  readonly prefetched?: (cacheTable: string) => Record<string, unknown>[] | undefined
}

/** Returns what a statement of a known text changes: nothing, or something unknown. */
const kindOf = (sql: string): RootOperationNode =>
  ({ kind: sql.startsWith('select ') ? 'SelectQueryNode' : 'RawNode' }) as RootOperationNode

/**
 * Compiles a frequent query once per dialect; later calls only bind parameters. Building a query takes longer than
 * SQLite takes to execute it. `build` must not do anything with the parameters except add them to the query.
 */
export function compiledQuery<P extends readonly unknown[], R>(
  build: (query: Query, ...parameters: P) => Compilable<R>,
  { isSingleRow = false, cacheTable, sqlite }: CompiledQueryOptions = {},
): (query: Query, ...parameters: P) => Promise<R[]> {
  const known = new Map<unknown, CompiledQuery<R>>()
  const compile = (query: Query, dialect: unknown, parameters: readonly unknown[]): CompiledQuery<R> => {
    const it = build(
      query,
      ...(parameters.map((_, index) => new ParameterPlaceholder(index)) as unknown as P),
    ).compile()
    known.set(dialect, it)
    return it
  }
  let direct: { readonly statement: PreparedStatement; readonly parameters: readonly unknown[] } | undefined
  const knownText = sqlite && { sql: sqlite.sql, isSingleRow, cacheTable, query: kindOf(sqlite.sql) }
  return async (query, ...parameters) => {
    const isDirect = query instanceof DirectQuery
    if (isDirect && knownText)
      return query.executeStatement(knownText, sqlite?.parameters?.(...parameters) ?? parameters) as R[]
    if (isDirect && direct)
      return query.executeStatement(direct.statement, bindParameters(direct.parameters, parameters)) as R[]
    const prefetched =
      cacheTable !== undefined && !isDirect ? (query as PrefetchedQuery).prefetched?.(cacheTable) : undefined
    if (prefetched) return prefetched as R[]
    const dialect = query.getExecutor().adapter.constructor
    const it = known.get(dialect) ?? compile(query, dialect, parameters)
    if (isDirect)
      direct = { statement: { sql: it.sql, isSingleRow, cacheTable, query: it.query }, parameters: it.parameters }
    const filled = bindParameters(it.parameters, parameters)
    return (await query.executeQuery<R>({ ...it, parameters: filled })).rows
  }
}

const bindParameters = (slots: readonly unknown[], values: readonly unknown[]): readonly unknown[] =>
  slots.map((value) => (value instanceof ParameterPlaceholder ? values[value.index] : value))
