import type { Kysely, KyselyConfig, RootOperationNode } from 'kysely'
import { loadKysely } from './kysely.ts'
import type { Tables } from './tables.ts'

/** Compiled statement. */
export interface PreparedStatement {
  readonly sql: string
  /** Whether it returns at most one row. */
  readonly isSingleRow: boolean
  /** The only table that it reads, if its rows may be cached. */
  readonly cacheTable?: string | undefined
  /** The statement, which says what it changes. */
  readonly query: RootOperationNode
}

/** Executes a compiled statement synchronously and returns its rows. */
export type ExecuteStatement = (
  statement: PreparedStatement,
  parameters: readonly unknown[],
) => Record<string, unknown>[]

/**
 * Query builder of a SQLite database that can execute compiled statements directly. The way through Kysely takes longer
 * than SQLite does. Kysely is loaded with the first query that must be built.
 */
export class DirectQuery {
  readonly executeStatement: ExecuteStatement
  readonly #config: () => KyselyConfig
  #builder: Kysely<Tables> | undefined

  private constructor(config: () => KyselyConfig, execute: ExecuteStatement) {
    this.#config = config
    this.executeStatement = execute
  }

  /** Creates a query builder. */
  static create(config: () => KyselyConfig, execute: ExecuteStatement): Kysely<Tables> {
    return new DirectQuery(config, execute) as unknown as Kysely<Tables>
  }

  get builder(): Kysely<Tables> {
    return (this.#builder ??= new (loadKysely().Kysely)<Tables>(this.#config()))
  }
}

type Builder = Readonly<Record<PropertyKey, unknown>>

/** The methods that statements start with. */
const starts = ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'executeQuery', 'getExecutor'] as const

for (const name of starts)
  Object.defineProperty(DirectQuery.prototype, name, {
    value(this: DirectQuery, ...given: readonly never[]): unknown {
      return (this.builder[name] as (...given: readonly never[]) => unknown)(...given)
    },
  })

// Everything else is asked of Kysely.
Object.setPrototypeOf(
  DirectQuery.prototype,
  new Proxy(Object.prototype, {
    get(target, name, receiver: DirectQuery) {
      if (typeof name === 'symbol' || name in target || name === 'then') return Reflect.get(target, name, receiver)
      const builder = receiver.builder as unknown as Builder
      const found = builder[name]
      return typeof found === 'function' ? found.bind(builder) : found
    },
  }),
)
