import { Kysely, type KyselyConfig } from 'kysely'
import type { Tables } from './tables.ts'

/** A `select` that was compiled. */
export interface Question {
  readonly sql: string
  /** Whether it finds one row at most. */
  readonly isOne: boolean
  /** The one table it reads, where its rows may be kept. */
  readonly keep?: string | undefined
}

/** Answers a question at once. */
export type Ask = (question: Question, parameters: readonly unknown[]) => Record<string, unknown>[]

/** Queries, of which those that are compiled need not go through Kysely: its way to a connection and back takes longer than SQLite does. */
export class DirectQuery extends Kysely<Tables> {
  readonly ask: Ask

  constructor(config: KyselyConfig, ask: Ask) {
    super(config)
    this.ask = ask
  }
}
