import { Kysely, type KyselyConfig, type RootOperationNode } from 'kysely'
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

/** Query builder that can execute compiled statements directly. The way through Kysely takes longer than SQLite does. */
export class DirectQuery extends Kysely<Tables> {
  readonly executeStatement: ExecuteStatement

  constructor(config: KyselyConfig, execute: ExecuteStatement) {
    super(config)
    this.executeStatement = execute
  }
}

/** Query builder of a transaction that has rows of some tables before it asks for them. */
export class PrefetchedQuery extends Kysely<Tables> {
  readonly prefetched: (cacheTable: string) => Record<string, unknown>[] | undefined

  constructor(config: KyselyConfig, prefetched: (cacheTable: string) => Record<string, unknown>[] | undefined) {
    super(config)
    this.prefetched = prefetched
  }
}
