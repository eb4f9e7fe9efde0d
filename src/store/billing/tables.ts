import type { Generated } from 'kysely'

/** Every movement of money, in millionths of `unit`. `balance_after` is null for what a payment method paid. */
export interface LedgerTable {
  id: Generated<number>
  account_id: number
  kind: 'top_up' | 'charge' | 'refund' | 'card_charge' | 'card_refund'
  unit: 'credit' | 'minute' | 'usd'
  amount: number
  balance_after: number | null
  reason: string
  /** Unique per account when given: the same movement is never booked twice. */
  reference: string | null
  created_at: number
}

/** A purchase on its way (decision: reserved -> paid -> provisioned -> owned, or refunded). One live row a number. */
export interface PurchaseTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  state: 'reserved' | 'paid' | 'provisioned' | 'owned' | 'refunding' | 'refunded' | 'declined' | 'released'
  /** The caller's Idempotency-Key, unique per account: asking again finds this row. */
  idempotency_key: string | null
  country_code: string
  region: string | null
  sms_capable: number
  price: number
  price_id: string
  charge_id: string | null
  order_sid: string | null
  number_id: number | null
  failure: string | null
  created_at: number
  updated_at: number
}

export interface SubscriptionTable {
  id: Generated<number>
  account_id: number
  number_id: number
  status: 'active' | 'ending' | 'past_due' | 'ended'
  price: number
  price_id: string
  /** Day of the month the first period began, so that a month of 28 days does not move the date for good. */
  anchor: number
  period_start: number
  period_end: number
}

export interface BillingTables {
  ledger: LedgerTable
  purchase: PurchaseTable
  subscription: SubscriptionTable
}
