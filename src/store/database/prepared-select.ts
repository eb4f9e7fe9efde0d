import type { Kysely, KyselyConfig } from 'kysely'
import { loadKysely } from './kysely.ts'
import type { Tables } from './tables.ts'

/** Compiled `select`. */
export interface PreparedSelect {
  readonly sql: string
  /** Whether it returns at most one row. */
  readonly isSingleRow: boolean
  /** The only table that it reads, if its rows may be cached. */
  readonly cacheTable?: string | undefined
}

/** Executes a compiled `select` synchronously. */
export type ExecuteSelect = (question: PreparedSelect, parameters: readonly unknown[]) => Record<string, unknown>[]

/**
 * Query builder of a SQLite database that can execute compiled queries directly. The way through Kysely takes longer
 * than SQLite does. Kysely is loaded with the first query that must be built.
 */
export class DirectQuery {
  readonly executeSelect: ExecuteSelect
  readonly #config: () => KyselyConfig
  #builder: Kysely<Tables> | undefined

  private constructor(config: () => KyselyConfig, execute: ExecuteSelect) {
    this.#config = config
    this.executeSelect = execute
  }

  /** Creates a query builder. */
  static create(config: () => KyselyConfig, execute: ExecuteSelect): Kysely<Tables> {
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
