import type { Generated } from 'kysely'

/** A rule that makes requests fail on purpose, and how often it was met and struck. */
export interface FaultTable {
  id: Generated<number>
  /** Name of an endpoint, `numbers.*`, or `*`. */
  endpoint: string
  account_id: number | null
  /** The rest of the rule, as JSON. */
  rule: string
  met: number
  fired: number
  created_at: number
}
