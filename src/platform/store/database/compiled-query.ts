import type { Compilable, CompiledQuery, Selectable, Updateable } from 'kysely'
import { accountQuery, insertedAccounts, requireSameAccount } from './account-query.ts'
import type { Query } from './connection.ts'
import type { Tables } from './tables.ts'

/** Placeholder for a parameter while a query is compiled. */
class ParameterPlaceholder {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

/** Placeholder for the account of a query of an account. */
const accountPlaceholder = new ParameterPlaceholder(-1)

/** Compiled query whose parameters are placeholders. */
type Compiled<R> = CompiledQuery<R> & {
  /** Index of the parameter with the account of the row that it adds with the queries of an account. */
  readonly account: number | undefined
}

interface CompiledQueryOptions {
  /** Whether it returns at most one row. */
  readonly isSingleRow?: boolean | undefined
  /**
   * The only table that it reads, which has few rows and is rarely written, so that a transaction may cache them. Only
   * for a `select`.
   */
  readonly cacheTable?: string | undefined
}

/** Compiled query as the drivers receive it. */
export type DriverQuery<R = unknown> = CompiledQuery<R> &
  CompiledQueryOptions & {
    /** The account of a query that was compiled once for all of them. */
    readonly account?: number | undefined
  }

/**
 * Compiles a frequent query once per dialect; later calls only bind parameters. Building a query takes longer than
 * SQLite takes to execute it. `build` must not do anything with the parameters except add them to the query.
 */
export function compiledQuery<P extends readonly unknown[], R, Q extends Query = Query>(
  build: (query: Q, ...parameters: P) => Compilable<R>,
  options: CompiledQueryOptions = {},
): (query: Q, ...parameters: P) => Promise<R[]> {
  const known = { account: new Map<unknown, Compiled<R>>(), platform: new Map<unknown, Compiled<R>>() }
  const { isSingleRow, cacheTable } = options
  const compile = (query: Query, parameters: readonly unknown[]): Compiled<R> => {
    const placeholders = parameters.map((_, index) => new ParameterPlaceholder(index))
    const builder = query.account === undefined ? query : accountQuery(query, accountPlaceholder as never)
    const compiled = build(builder as Q, ...(placeholders as unknown as P)).compile()
    const [account] = query.account === undefined ? [] : insertedAccounts(compiled.query)
    return { ...compiled, account: account instanceof ParameterPlaceholder ? account.index : undefined }
  }
  return async (query, ...values) => {
    const dialect = query.getExecutor().adapter.constructor
    const texts = query.account === undefined ? known.platform : known.account
    const compiled = texts.get(dialect) ?? compile(query, values)
    texts.set(dialect, compiled)
    if (compiled.account !== undefined) requireSameAccount(query.account as number, values[compiled.account])
    const parameters = compiled.parameters.map((slot) =>
      slot === accountPlaceholder ? query.account : slot instanceof ParameterPlaceholder ? values[slot.index] : slot,
    )
    const bound: DriverQuery<R> = {
      query: compiled.query,
      queryId: compiled.queryId,
      sql: compiled.sql,
      parameters,
      isSingleRow,
      cacheTable,
      account: query.account,
    }
    return (await query.executeQuery<R>(bound)).rows
  }
}

type Value = string | number | null

/** Updates the row with these values of the key columns, and returns it; undefined if there is none. */
type RunUpdate<T extends keyof Tables> = (
  query: Query,
  key: readonly Value[],
  change: Updateable<Tables[T]>,
) => Promise<Selectable<Tables[T]> | undefined>

/** The part of the query builder that is used, without the types of the table. */
interface UpdateBuilder {
  set(change: object): UpdateBuilder
  where(column: string, operator: '=', value: unknown): UpdateBuilder
  returningAll(): Compilable<never>
}

/**
 * Returns a function that updates one row of a table by key columns, which together identify it. It compiles the
 * statement once for each set of changed columns. Columns with the value undefined do not change. Values must not be SQL.
 */
export function compiledUpdate<T extends keyof Tables>(
  table: T,
  keyColumns: readonly (keyof Tables[T] & string)[],
): RunUpdate<T> {
  const known = new Map<string, (query: Query, ...values: Value[]) => Promise<unknown[]>>()
  const compile = (columns: readonly string[]) =>
    compiledQuery(
      (query, ...values: Value[]) => {
        const change = Object.fromEntries(columns.map((it, n) => [it, values[keyColumns.length + n]]))
        const update = (query.updateTable(table as 'tool') as UpdateBuilder).set(change)
        return keyColumns.reduce((it, column, n) => it.where(column, '=', values[n]), update).returningAll()
      },
      { isSingleRow: true },
    )
  return async (query, key, change) => {
    const entries = Object.entries(change).filter((it): it is [string, Value] => it[1] !== undefined)
    const columns = entries.map(([name]) => name)
    const name = columns.join()
    const run = known.get(name) ?? compile(columns)
    known.set(name, run)
    const [row] = await run(query, ...key, ...entries.map(([, value]) => value))
    return row as Selectable<Tables[T]> | undefined
  }
}
