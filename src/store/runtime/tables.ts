import type { Generated } from 'kysely'

/** Fault rule, which makes requests fail on purpose, with the number of matches and triggers. */
export interface FaultTable {
  id: Generated<number>
  /** Name of an endpoint, `numbers.*`, or `*`. */
  endpoint: string
  account_id: number | null
  /** Rest of the rule as JSON. */
  rule: string
  met: number
  fired: number
  created_at: number
}
