import type { Generated } from 'kysely'

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

export interface ApiKeyTable {
  id: Generated<number>
  account_id: number
  name: string
  /** SHA-256 hash of the random part of the token, in hexadecimal. */
  hash: string
  last_used_at: number | null
  created_at: number
}

export interface AccountTables {
  account: AccountTable
  api_key: ApiKeyTable
}
