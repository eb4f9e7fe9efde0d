// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations).

import type { Generated } from 'kysely'
import type { BudgetPeriod } from '../../../contract/values/budgets.ts'
import type { KeyScope } from '../../../contract/values/key-scopes.ts'

/** Account of the platform, with its balance in millionths. */
export interface AccountTable {
  id: Generated<number>
  name: string
  email: string
  /** `tenant` pays in credits (1 credit = 1 USD), `direct` in minutes. */
  kind: 'tenant' | 'direct'
  /** Millionths of a credit or of a minute. */
  balance: number
  /** Micro-USD per minute, for direct accounts. */
  minute_rate: number
  /** Payment method on file at the payment processor, or null. */
  payment_method: string | null
  created_at: number
}

/** API key of an account. Only its hash is stored. */
export interface ApiKeyTable {
  id: Generated<number>
  account_id: number
  name: string
  /** SHA-256 hash of the random part of the token, in hexadecimal. */
  hash: string
  last_used_at: number | null
  created_at: number
  /** Null for every right but `approve`. */
  scope: Generated<KeyScope | null>
  /** Resources that the key may use as JSON, in the form of command lines; null for all. */
  nouns: Generated<string | null>
  /** Micro-USD that the key may spend in a period; null for no limit. */
  budget: Generated<number | null>
  budget_period: Generated<BudgetPeriod | null>
  expires_at: Generated<number | null>
}

/** The tables of this file by name, a part of the type of the database. */
export interface AccountTables {
  account: AccountTable
  api_key: ApiKeyTable
}
