import type { Compilable, CompiledQuery } from 'kysely'
import type { Query } from './connection.ts'

/** Stands for a parameter while a query is compiled. */
class Slot {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

/**
 * A query that is asked all the time, built once for each dialect and then only given its parameters: building takes longer than SQLite takes to answer.
 * `build` must do nothing with the parameters but put them into the query.
 */
export function compiled<P extends readonly unknown[], R>(
  build: (query: Query, ...parameters: P) => Compilable<R>,
): (query: Query, ...parameters: P) => Promise<R[]> {
  const known = new Map<unknown, CompiledQuery<R>>()
  return async (query, ...parameters) => {
    const dialect = query.getExecutor().adapter.constructor
    let it = known.get(dialect)
    if (!it) {
      it = build(query, ...(parameters.map((_, index) => new Slot(index)) as unknown as P)).compile()
      known.set(dialect, it)
    }
    const filled = it.parameters.map((value) => (value instanceof Slot ? parameters[value.index] : value))
    return (await query.executeQuery<R>({ ...it, parameters: filled })).rows
  }
}
