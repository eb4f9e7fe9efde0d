// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'
import type { FailureName } from '../../../contract/errors/failures.ts'

/**
 * Movement of money, in millionths of `unit`. `balance_after` is null for payments by payment method. A `correction` sets
 * the balance: it is neither usage nor a top-up.
 */
export interface LedgerTable {
  id: Generated<number>
  account_id: number
  kind: 'top_up' | 'charge' | 'refund' | 'correction' | 'card_charge' | 'card_refund'
  unit: 'credit' | 'minute' | 'usd'
  amount: number
  balance_after: number | null
  reason: string
  /** Unique per account if set, so that the same movement is not booked twice. */
  reference: string | null
  created_at: number
}

/**
 * Purchase: `reserved -> paid -> provisioned -> owned`, and `released` when the number is. Otherwise `declined` (not paid), or
 * `refunding -> refunded`. A number has at most one active purchase.
 */
export interface PurchaseTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  state: 'reserved' | 'paid' | 'provisioned' | 'owned' | 'refunding' | 'refunded' | 'declined' | 'released'
  /** Idempotency-Key of the caller, unique per account. A repeated request finds this row. */
  idempotency_key: string | null
  country_code: string
  region: string | null
  sms_capable: number
  price: number
  price_id: string
  charge_id: string | null
  order_sid: string | null
  number_id: number | null
  failure: FailureName | null
  /** The restricted key that buys the number. */
  key_id: Generated<number | null>
  created_at: number
  updated_at: number
}

/**
 * Monthly renewal of a number: `active`, `past_due` after a declined payment, `ending` when the number is released at the end of
 * the period, or `ended`.
 */
export interface SubscriptionTable {
  id: Generated<number>
  account_id: number
  number_id: number
  status: 'active' | 'ending' | 'past_due' | 'ended'
  price: number
  price_id: string
  /** Day of the month when the first period started, so that short months do not change the renewal day permanently. */
  anchor: number
  period_start: number
  period_end: number
  /** The restricted key that bought the number. */
  key_id: Generated<number | null>
}

/** What a restricted key has spent, or may spend: the maximum until the cost is known. Micro-USD. */
export interface KeySpendingTable {
  id: Generated<number>
  account_id: number
  key_id: number
  /** What the money is for. Unique per account. */
  reference: string
  amount: number
  created_at: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface BillingTables {
  ledger: LedgerTable
  purchase: PurchaseTable
  subscription: SubscriptionTable
  key_spending: KeySpendingTable
}
