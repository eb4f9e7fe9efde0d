import { Kysely, type KyselyConfig } from 'kysely'
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

/** Query builder that can execute compiled queries directly. The way through Kysely takes longer than SQLite does. */
export class DirectQuery extends Kysely<Tables> {
  readonly executeSelect: ExecuteSelect

  constructor(config: KyselyConfig, execute: ExecuteSelect) {
    super(config)
    this.executeSelect = execute
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
