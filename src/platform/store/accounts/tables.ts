// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { ColumnType, Generated } from 'kysely'
import type { ApprovalState, Plan, PlanHeading, RequestOutcome } from '../../../contract/resources/approvals.ts'
import type { BudgetPeriod } from '../../../contract/values/budgets.ts'
import type { KeyScope } from '../../../contract/values/key-scopes.ts'
import type { JsonText } from '../../../node/json.ts'

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
  /** When everything that the account does on its own was stopped; null while it is not. */
  stopped_at: Generated<number | null>
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

/** Operation of an account that waits for the approval of a person, or was decided. */
export interface ApprovalTable {
  id: Generated<number>
  account_id: number
  uuid: string
  /** Id of the API key that asked; 0 without one. */
  key_id: number
  asked_by: string | null
  /** What a list shows of the plan. */
  heading: ColumnType<JsonText<PlanHeading>, string, string>
  /** Canonical JSON. */
  plan: ColumnType<JsonText<Plan>, string, string>
  /** SHA-256 hash of `plan` in hexadecimal. */
  hash: string
  /** Never `expired`: that follows from the time. */
  state: Exclude<ApprovalState, 'expired'>
  created_at: number
  expires_at: number
  decided_at: number | null
  /** Id of the API key that decided. */
  decided_by: number | null
  reason: string | null
  /** The process that runs it, as it named itself. */
  runner: string | null
  /** The last outcome of each request, by its number. */
  outcomes: ColumnType<JsonText<Record<string, RequestOutcome>>, string, string>
}

/** What can have a name that is unique over all accounts: the table of its row. Rows have it, so it never changes. */
export type NameKind = 'api_key' | 'phone_number' | 'purchase' | 'automation' | 'assistant'

/** Account that has a name which is unique over all accounts. */
export interface AccountNameTable {
  /** Table of the row that has the name. */
  kind: NameKind
  name: string
  account: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface AccountTables {
  account: AccountTable
  account_name: AccountNameTable
  api_key: ApiKeyTable
  approval: ApprovalTable
}
