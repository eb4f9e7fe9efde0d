import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type InsertQueryNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type PrimitiveValueListNode,
  type QueryResult,
  type ValuesNode,
} from 'kysely'
import { stringifyJson } from '../../../node/json.ts'
import { accountOfQuery } from '../database/account-query.ts'
import type { DriverQuery } from '../database/compiled-query.ts'
import { toLongRows, typeOfLongList } from '../database/long-lists.ts'
import type { PostgresResult, PostgresRow } from './statement-batch.ts'

/** Runs one statement of an account (0: of none). `isSingleRow` if it is known that it returns at most one row. */
export type ExecuteStatement = (
  sql: string,
  parameters: readonly unknown[],
  about: { readonly account: number; readonly isSingleRow: boolean },
) => Promise<PostgresResult>

/** Commands whose result has the number of changed rows. */
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

const nothing = async (): Promise<void> => {}

async function noTransaction(): Promise<never> {
  throw new Error('Transactions are opened with Connection.write.')
}

class Compiler extends PostgresQueryCompiler {
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    const type = typeOfLongList(node.values)
    if (!type) return super.visitPrimitiveValueList(node)
    this.append('(select unnest(')
    this.appendValue(node.values)
    this.append(`::${type}[]))`)
  }

  protected override visitValues(node: ValuesNode): void {
    const long = toLongRows(node, this.parentNode)
    if (!long) return super.visitValues(node)
    const nameOf = ({ node }: (typeof long.columns)[number]): string => node.column.name
    const own = long.columns.filter((it) => !it.common).map(nameOf)
    const shared = long.columns.flatMap((it) => (it.common ? [[nameOf(it), it.common.value]] : []))
    const rows = long.rows.map((row) => Object.fromEntries(row.map((value, n) => [own[n], value])))
    for (const [n, { node: column, common }] of long.columns.entries()) {
      this.append(`${n === 0 ? 'select ' : ', '}${common ? 'shared' : 'own'}.`)
      this.visitNode(column)
    }
    this.#appendRows('recordset', long.insert, rows)
    this.append(' as own')
    if (shared.length === 0) return
    this.#appendRows('record', long.insert, Object.fromEntries(shared))
    this.append(' as shared')
  }

  /** Appends a function whose rows have the types of the table into which they are inserted. */
  #appendRows(kind: 'recordset' | 'record', { into }: InsertQueryNode, value: object): void {
    this.append(`${kind === 'recordset' ? ' from' : ','} json_populate_${kind}(null::`)
    this.visitNode(into as never)
    this.append(', ')
    this.appendValue(stringifyJson(value))
    this.append('::json)')
  }
}

/** Returns rows of a table that are known before they are read; undefined if they are not. */
type FindKnownRows = (table: string) => PostgresRow[] | undefined

/** Returns Kysely's dialect over a function that runs statements. `findKnown` may answer queries of tables that may be cached. */
export function postgresDialect(execute: ExecuteStatement, findKnown?: FindKnownRows): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<R>({
      sql,
      parameters,
      cacheTable,
      isSingleRow = false,
      account: known,
      queryId,
    }: DriverQuery): Promise<QueryResult<R>> {
      const cached = cacheTable === undefined ? undefined : findKnown?.(cacheTable)
      if (cached) return { rows: cached as R[] }
      const account = known ?? accountOfQuery(queryId) ?? 0
      const { rows, command, rowCount } = await execute(sql, parameters, { account, isSingleRow })
      return {
        rows: rows as R[],
        ...(changes.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
      }
    },
    streamQuery() {
      throw new Error('Results are not streamed from PostgreSQL. Read them in pages.')
    },
  }
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    releaseConnection: nothing,
    destroy: nothing,
  }
  return {
    createDriver: () => driver,
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new Compiler(),
    createIntrospector: (query) => new PostgresIntrospector(query),
  }
}
