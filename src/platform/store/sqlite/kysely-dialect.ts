import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type PrimitiveValueListNode,
  type QueryResult,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type ValuesNode,
} from 'kysely'
import { stringifyJson } from '../../../node/json.ts'
import type { DriverQuery } from '../database/compiled-query.ts'
import type { PlatformQuery } from '../database/connection.ts'
import { toLongRows, typeOfLongList } from '../database/long-lists.ts'
import type { Row, SqliteDatabase, SqliteStatement } from './libsql-driver.ts'
import { toBindable } from './sqlite-driver.ts'
import { toStoreError } from './sqlite-store-errors.ts'

/**
 * Maximum number of cached statements, more than the program has, because lists of ids of different lengths would fill
 * the memory.
 */
const maxStatements = 500

/** Kysely's connection over a SqliteDatabase. Statements are prepared once per text and run synchronously. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: SqliteDatabase
  readonly #file: string
  readonly #statements = new Map<string, SqliteStatement>()
  /** Statements that are only used with `get`: after `all`, libsql would return a row of the earlier result. */
  readonly #singleRowStatements = new Map<string, SqliteStatement>()
  readonly #rowCache: TransactionRowCache | undefined

  /** Creates a connection, with a row cache if it is notified of all statements. */
  constructor(database: SqliteDatabase, file: string, rowCache?: TransactionRowCache) {
    this.#database = database
    this.#file = file
    this.#rowCache = rowCache
  }

  /** Executes a statement. Rows of a table that may be cached are cached. */
  async executeQuery<R>({ sql, parameters, query, isSingleRow, cacheTable }: DriverQuery): Promise<QueryResult<R>> {
    try {
      this.#rowCache?.onStatement(query)
      const cachedRows = cacheTable === undefined ? undefined : this.#rowCache?.find(cacheTable, sql, parameters)
      if (cachedRows) return { rows: cachedRows as R[] }
      const statement = this.#prepared(sql, isSingleRow ? this.#singleRowStatements : this.#statements)
      const bound = parameters.map(toBindable)
      if (!statement.reader) {
        const { changes, lastInsertRowid } = statement.run(bound)
        return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
      }
      const rows = isSingleRow ? toRows(statement.get(bound)) : statement.all(bound)
      if (cacheTable !== undefined) this.#rowCache?.add(cacheTable, sql, parameters, rows)
      return { rows: rows as R[] }
    } catch (error) {
      throw toStoreError(error, this.#file)
    }
  }

  /** Streams with a separate statement, because the cached one may be used before the end. */
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    try {
      for (const row of this.#database.prepare(query.sql).iterate(query.parameters.map(toBindable)))
        yield { rows: [row as R] }
    } catch (error) {
      throw toStoreError(error, this.#file)
    }
  }

  #prepared(sql: string, among = this.#statements): SqliteStatement {
    const known = among.get(sql)
    if (known) return known
    if (among.size >= maxStatements) among.clear()
    const statement = this.#database.prepare(sql)
    among.set(sql, statement)
    return statement
  }
}

const toRows = (row: Row | undefined): Row[] => (row ? [row] : [])

class Compiler extends SqliteQueryCompiler {
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    if (!typeOfLongList(node.values)) return super.visitPrimitiveValueList(node)
    this.append('(select value from json_each(')
    this.appendValue(stringifyJson(node.values))
    this.append('))')
  }

  protected override visitValues(node: ValuesNode): void {
    const long = toLongRows(node, this.parentNode)
    if (!long) return super.visitValues(node)
    let own = 0
    for (const [n, { common }] of long.columns.entries()) {
      this.append(n === 0 ? 'select ' : ', ')
      if (common) this.appendValue(common.value)
      else this.append(`value ->> ${own++}`)
    }
    this.append(' from json_each(')
    this.appendValue(stringifyJson(long.rows))
    // Without a condition, SQLite would take "on conflict" for the condition of a join.
    this.append(') where true')
  }
}

/** Shared by all transactions, because creating one takes longer than a short statement. It has no state between queries. */
const compiler = new Compiler()

const adapter = new SqliteAdapter()

/**
 * Returns a query builder over connections that the caller manages, with their transactions. `acquire` may throw. A
 * query goes straight to its connection: Kysely's steps for pools take longer than a short statement.
 */
export function sqliteQuery(acquire: () => DatabaseConnection): PlatformQuery {
  const executor = new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: async (consumer) => consumer(acquire()),
  })
  return new Kysely({ config: { dialect }, dialect, driver, executor })
}

const nothing = async (): Promise<void> => {}

async function noTransaction(): Promise<never> {
  throw new Error('Transactions are opened with Connection.write.')
}

const driver: Driver = {
  init: nothing,
  acquireConnection: noTransaction,
  beginTransaction: noTransaction,
  commitTransaction: noTransaction,
  rollbackTransaction: noTransaction,
  releaseConnection: nothing,
  destroy: nothing,
}

const dialect: Dialect = {
  createDriver: () => driver,
  createAdapter: () => adapter,
  createQueryCompiler: () => compiler,
  createIntrospector: (query) => new SqliteIntrospector(query),
}

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
