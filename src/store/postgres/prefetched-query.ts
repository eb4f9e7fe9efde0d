import { Kysely, type KyselyConfig } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** Query builder of a transaction that has rows of some tables before it asks for them. */
export class PrefetchedQuery extends Kysely<Tables> {
  readonly prefetched: (cacheTable: string) => Record<string, unknown>[] | undefined

  constructor(config: KyselyConfig, prefetched: (cacheTable: string) => Record<string, unknown>[] | undefined) {
    super(config)
    this.prefetched = prefetched
  }
}
