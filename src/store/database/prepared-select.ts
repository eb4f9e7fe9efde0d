import { Kysely, type KyselyConfig } from 'kysely'
import type { Tables } from './tables.ts'

/** A `select` that was compiled. */
export interface PreparedSelect {
  readonly sql: string
  /** Whether it finds one row at most. */
  readonly isSingleRow: boolean
  /** The one table it reads, where its rows may be kept. */
  readonly cacheTable?: string | undefined
}

/** Answers a question at once. */
export type ExecuteSelect = (question: PreparedSelect, parameters: readonly unknown[]) => Record<string, unknown>[]

/** Queries, of which those that are compiled need not go through Kysely: its way to a connection and back takes longer than SQLite does. */
export class DirectQuery extends Kysely<Tables> {
  readonly executeSelect: ExecuteSelect

  constructor(config: KyselyConfig, execute: ExecuteSelect) {
    super(config)
    this.executeSelect = execute
  }
}
