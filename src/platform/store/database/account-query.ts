// The scope of an account: every statement of an `AccountQuery` reads and changes the rows of one account only, on both
// databases. On a sharded PostgreSQL it is also what sends a statement to one shard.

import {
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  type DeleteQueryNode,
  type FromNode,
  type InsertQueryNode,
  type JoinNode,
  type KyselyPlugin,
  OnNode,
  type OperationNode,
  OperationNodeTransformer,
  OperatorNode,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryId,
  type QueryResult,
  type RawBuilder,
  ReferenceNode,
  type RootOperationNode,
  type SelectQueryNode,
  SqliteAdapter,
  sql,
  TableNode,
  UnaryOperationNode,
  type UnknownRow,
  type UpdateQueryNode,
  ValueNode,
  WhereNode,
} from 'kysely'
import { accountColumn } from './account-tables.ts'
import type { AccountQuery, PlatformQuery, Query, ScopedQuery, WriteScope } from './connection.ts'

/** Returns the queries of an account. They run where those of `query` run: in its transaction, or on its connection. */
export function accountQuery(query: Query, account: number): AccountQuery {
  if (query.account === account) return query as AccountQuery
  const own = ownQueries.get(query)
  const known = own?.get(account)
  if (known) return known
  const created = Object.assign(acrossAccounts(query).withPlugin(new AccountScope(account, query)), { account })
  if (own && own.size >= maxOwnQueries) own.clear()
  own?.set(account, created)
  return created
}

/** Queries of accounts by the queries of a connection that stays open. */
const ownQueries = new WeakMap<Query, Map<number, AccountQuery>>()
const maxOwnQueries = 1000

/**
 * Lets `accountQuery` create the queries of an account once for these queries. For those that outlive many requests: a
 * request asks for them several times, and creating them takes longer than it takes SQLite to read a row.
 */
export function keepAccountQueries(query: PlatformQuery): PlatformQuery {
  ownQueries.set(query, new Map())
  return query
}

/** Returns the queries across accounts in the transaction or on the connection of the queries of an account. */
export const acrossAccounts = (query: Query): PlatformQuery =>
  query.account === undefined ? (query as PlatformQuery) : query.withoutPlugins()

/** Returns the queries that a transaction may use: those of its account if its scope names one. */
export function scopedQuery<S extends WriteScope>(query: Query, scope: S): ScopedQuery<S> {
  const account = accountOf(scope)
  return (account === undefined ? acrossAccounts(query) : accountQuery(query, account)) as ScopedQuery<S>
}

/** Returns the account that a scope names. */
export const accountOf = (scope: WriteScope): number | undefined =>
  typeof scope === 'string' || 'name' in scope ? undefined : 'account' in scope ? scope.account : scope.rows

/** Returns the condition on the account for a table of a statement in raw SQL. `column` is its column with the account. */
export const accountCondition = (query: AccountQuery, column: string): RawBuilder<boolean> =>
  sql`${sql.raw(isSqlite(query) ? '+' : '')}${sql.ref(column)} = ${query.account}`

/** Whether queries are sent to SQLite, for statements whose fast form is another one on PostgreSQL. */
export const isSqlite = (query: Query): boolean => query.getExecutor().adapter instanceof SqliteAdapter

/** Accounts of the queries that were built with `AccountQuery`, by the id that a query keeps until it is sent to PostgreSQL. */
const accounts = new WeakMap<QueryId, number>()

/** Returns the account of a query to PostgreSQL that was built with the queries of an account. */
export const accountOfQuery = (id: QueryId): number | undefined => accounts.get(id)

/** Adds the condition on the account to each table of accounts in a statement, its joins and subqueries. */
class AccountScope implements KyselyPlugin {
  readonly account: number
  readonly #isSqlite: boolean

  constructor(account: number, query: Query) {
    this.account = account
    this.#isSqlite = isSqlite(query)
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    if (node.kind === 'InsertQueryNode') requireRowsOf(this.account, node)
    if (!this.#isSqlite) accounts.set(queryId, this.account)
    return conditions.add(node, { account: this.account, isSqlite: this.#isSqlite }, queryId)
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

/** Checks that the rows of an `insert` are those of the account. @throws Error for a row of another account */
function requireRowsOf(account: number, insert: InsertQueryNode): void {
  for (const id of insertedAccounts(insert)) if (typeof id === 'number') requireSameAccount(account, id)
}

/** Checks the account of a row that is added with the queries of an account. @throws Error for another account */
export function requireSameAccount(account: number, id: unknown): void {
  if (id !== account) throw new Error(`A row of account ${id} was added with the queries of account ${account}.`)
}

/** Returns the values of the account of the rows that an `insert` adds; none for other statements. */
export function insertedAccounts(node: RootOperationNode): readonly unknown[] {
  if (node.kind !== 'InsertQueryNode') return []
  const { into, columns = [], values } = node
  if (values?.kind !== 'ValuesNode' || accountColumn(into?.table.identifier.name) !== 'account_id') return []
  const at = columns.findIndex((it) => it.column.name === 'account_id')
  return (values as unknown as { readonly values: readonly ValueRow[] }).values.map((row) => {
    const value = row.values[at]
    return row.kind === 'PrimitiveValueListNode' ? value : (value as Partial<ValueNode> | undefined)?.value
  })
}

interface ValueRow {
  readonly kind: string
  readonly values: readonly unknown[]
}

interface Scope {
  readonly account: number
  readonly isSqlite: boolean
}

class AccountConditions extends OperationNodeTransformer {
  /** Scope of the statement that is being transformed, which takes no turn of the event loop. */
  #scope: Scope = { account: 0, isSqlite: false }

  /** Returns a statement with the conditions of an account. */
  add(node: RootOperationNode, scope: Scope, queryId: QueryId): RootOperationNode {
    this.#scope = scope
    return this.transformNode(node, queryId)
  }

  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    const query = super.transformSelectQuery(node, queryId)
    return this.#restrict(query, query.from?.froms)
  }

  protected override transformUpdateQuery(node: UpdateQueryNode, queryId?: QueryId): UpdateQueryNode {
    const query = super.transformUpdateQuery(node, queryId)
    return this.#restrict(query, [...(query.table ? [query.table] : []), ...(query.from?.froms ?? [])])
  }

  protected override transformDeleteQuery(node: DeleteQueryNode, queryId?: QueryId): DeleteQueryNode {
    const query = super.transformDeleteQuery(node, queryId)
    return this.#restrict(query, [...query.from.froms, ...(query.using?.tables ?? [])])
  }

  protected override transformJoin(node: JoinNode, queryId?: QueryId): JoinNode {
    const join = super.transformJoin(node, queryId)
    const condition = this.#condition([join.table])
    if (!condition) return join
    return { ...join, on: join.on ? OnNode.cloneWithOperation(join.on, 'And', condition) : OnNode.create(condition) }
  }

  #restrict<T extends { readonly where?: WhereNode | undefined }>(query: T, tables: FromNode['froms'] = []): T {
    const condition = this.#condition(tables)
    if (!condition) return query
    const where = query.where
      ? WhereNode.cloneWithOperation(query.where, 'And', condition)
      : WhereNode.create(condition)
    return { ...query, where }
  }

  #condition(tables: readonly OperationNode[]): OperationNode | undefined {
    let all: OperationNode | undefined
    for (const table of tables) {
      const { name, alias } = namesOf(table)
      const column = accountColumn(name)
      if (column === undefined) continue
      const reference = ReferenceNode.create(ColumnNode.create(column), TableNode.create(alias ?? (name as string)))
      const condition = BinaryOperationNode.create(
        // The plus keeps SQLite from preferring an index of the account to a better one of the statement.
        this.#scope.isSqlite ? UnaryOperationNode.create(OperatorNode.create('+'), reference) : reference,
        OperatorNode.create('='),
        ValueNode.create(this.#scope.account),
      )
      all = all ? AndNode.create(all, condition) : condition
    }
    return all
  }
}

/** Shared by all accounts, because creating one takes longer than a short statement. */
const conditions = new AccountConditions()

/** Returns the name of a table in `from` or `join` and its alias; none for a subquery. */
function namesOf(node: OperationNode): { readonly name?: string; readonly alias?: string } {
  if (TableNode.is(node)) return { name: node.table.identifier.name }
  if (node.kind !== 'AliasNode') return {}
  const { node: table, alias } = node as OperationNode & { readonly node: OperationNode; readonly alias: OperationNode }
  return { ...namesOf(table), alias: (alias as OperationNode & { readonly name: string }).name }
}
