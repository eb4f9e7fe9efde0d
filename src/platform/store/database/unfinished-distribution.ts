// What a distribution of tables over nodes (store/postgres/distribution.ts) stores in `meta`, so that no server uses the database
// until it is complete.

import { parseJson } from '../../../node/json.ts'
import type { Query } from './connection.ts'
import { readMeta } from './meta.ts'
import { StoreError } from './store-error.ts'

/** Key in `meta` of a distribution. Later versions read it: the name never changes. */
export const distributionKey = 'distribution'

/** What `meta` has about a distribution, from its start. */
export interface StoredDistribution {
  readonly shards: number
  /** Whether servers may use the database again. */
  readonly is_complete: boolean
  /** Oldest schema whose program could use the database before. */
  readonly oldest_before?: string | undefined
  /** The keys that it drops and adds again, and the rows of each table before. Absent until nothing uses the database. */
  readonly saved?: {
    readonly foreign_keys: readonly { readonly table: string; readonly name: string; readonly definition: string }[]
    readonly rows: Readonly<Record<string, number>>
  }
}

/** Parses the value in `meta`; undefined if there is none. */
export const parseDistribution = (text: string | undefined): StoredDistribution | undefined =>
  text === undefined ? undefined : (parseJson(text) as StoredDistribution)

/** Throws StoreError while tables of a database are being spread over nodes. `text` is the value in `meta`. */
export function requireNoDistribution(text: string | undefined, where: string): void {
  if (parseDistribution(text)?.is_complete !== false) return
  throw new StoreError(
    'unopenable',
    `The tables of ${where} are being spread over nodes. To continue that: parley server database distribute.`,
  )
}

/** Reads whether tables of a database are being spread over nodes. Rejects with StoreError if they are. */
export async function readNoDistribution(query: Query, where: string): Promise<void> {
  requireNoDistribution(await readMeta(query, distributionKey), where)
}
