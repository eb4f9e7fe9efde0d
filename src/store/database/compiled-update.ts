import type { Compilable, Selectable, Updateable } from 'kysely'
import { compiledQuery } from './compiled-query.ts'
import type { Query } from './connection.ts'
import type { Tables } from './tables.ts'

type Value = string | number | null

/** Updates the rows with these values of the key columns, and returns them. */
type RunUpdate<T extends keyof Tables> = (
  query: Query,
  key: readonly Value[],
  change: Updateable<Tables[T]>,
) => Promise<Selectable<Tables[T]>[]>

/** The part of the query builder that is used, without the types of the table. */
interface UpdateBuilder {
  set(change: object): UpdateBuilder
  where(column: string, operator: '=', value: unknown): UpdateBuilder
  returningAll(): Compilable<never>
}

/**
 * Returns a function that updates rows of a table by key columns. It compiles the statement once for each set of changed
 * columns. Columns with the value undefined do not change. Values must not be SQL.
 */
export function compiledUpdate<T extends keyof Tables>(
  table: T,
  keyColumns: readonly (keyof Tables[T] & string)[],
): RunUpdate<T> {
  const known = new Map<string, (query: Query, ...values: Value[]) => Promise<unknown[]>>()
  const compile = (columns: readonly string[]) =>
    compiledQuery((query, ...values: Value[]) => {
      const change = Object.fromEntries(columns.map((it, n) => [it, values[keyColumns.length + n]]))
      const update = (query.updateTable(table as 'tool') as unknown as UpdateBuilder).set(change)
      return keyColumns.reduce((it, column, n) => it.where(column, '=', values[n]), update).returningAll()
    })
  return async (query, key, change) => {
    const entries = Object.entries(change).filter((it): it is [string, Value] => it[1] !== undefined)
    const columns = entries.map(([name]) => name)
    const name = columns.join()
    const run = known.get(name) ?? compile(columns)
    known.set(name, run)
    return (await run(query, ...key, ...entries.map(([, value]) => value))) as Selectable<Tables[T]>[]
  }
}
