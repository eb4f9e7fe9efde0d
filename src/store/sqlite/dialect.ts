import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { bindable, type SqliteDatabase, type SqliteStatement } from './driver.ts'
import { toStoreError } from './refusals.ts'

/** More texts than a program has; a list of ids of every length must not fill the memory. */
const cacheLimit = 500

/** Kysely's connection over ours: statements are prepared once for each text, and run at once. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: SqliteDatabase
  readonly #file: string
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase, file: string) {
    this.#database = database
    this.#file = file
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const statement = this.#prepared(query.sql)
      const parameters = query.parameters.map(bindable)
      if (statement.reader) return { rows: statement.all(parameters) as R[] }
      const { changes, lastInsertRowid } = statement.run(parameters)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      throw toStoreError(error, this.#file)
    }
  }

  /** Streams over a statement of its own: the cached one may be wanted before the end. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    try {
      for (const row of this.#database.prepare(query.sql).iterate(query.parameters.map(bindable))) yield { rows: [row as R] }
    } catch (error) {
      throw toStoreError(error, this.#file)
    }
  }

  #prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= cacheLimit) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** Kysely's dialect over connections that somebody else opens, closes and puts into transactions. `acquire` may throw. */
export function sqliteDialect(acquire: () => DatabaseConnection): Dialect {
  return {
    createDriver: () => driver(acquire),
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (query) => new SqliteIntrospector(query),
  }
}

const nothing = async (): Promise<void> => {}

async function noTransaction(): Promise<never> {
  throw new Error('Transactions are opened with Connection.write.')
}

const driver = (acquire: () => DatabaseConnection): Driver => ({
  init: nothing,
  acquireConnection: async () => acquire(),
  beginTransaction: noTransaction,
  commitTransaction: noTransaction,
  rollbackTransaction: noTransaction,
  releaseConnection: nothing,
  destroy: nothing,
})
