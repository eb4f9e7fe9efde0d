import type { Compilable, CompiledQuery } from 'kysely'
import type { Query } from './connection.ts'
import { DirectQuery, type PreparedSelect } from './prepared-select.ts'

/** Stands for a parameter while a query is compiled. */
class ParameterPlaceholder {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

export interface CompiledQueryOptions {
  /** It finds one row at most. */
  readonly isSingleRow?: boolean
  /** The one table it reads, of few rows that are seldom written: a transaction may remember them. Only for a `select`. */
  readonly cacheTable?: string
}

/**
 * A query that is asked all the time, built once for each dialect and then only given its parameters: building takes longer than SQLite takes to answer.
 * `build` must do nothing with the parameters but put them into the query.
 */
export function compiledQuery<P extends readonly unknown[], R>(
  build: (query: Query, ...parameters: P) => Compilable<R>,
  { isSingleRow = false, cacheTable }: CompiledQueryOptions = {},
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
  let direct: { readonly question: PreparedSelect; readonly parameters: readonly unknown[] } | undefined
  return async (query, ...parameters) => {
    if (direct && query instanceof DirectQuery)
      return query.executeSelect(direct.question, bindParameters(direct.parameters, parameters)) as R[]
    const dialect = query.getExecutor().adapter.constructor
    const it = known.get(dialect) ?? compile(query, dialect, parameters)
    if (query instanceof DirectQuery && it.sql.startsWith('select '))
      direct = { question: { sql: it.sql, isSingleRow, cacheTable }, parameters: it.parameters }
    const filled = bindParameters(it.parameters, parameters)
    return (await query.executeQuery<R>({ ...it, parameters: filled })).rows
  }
}

const bindParameters = (slots: readonly unknown[], values: readonly unknown[]): readonly unknown[] =>
  slots.map((value) => (value instanceof ParameterPlaceholder ? values[value.index] : value))
