import type { Country } from '../contract/numbers.ts'

/** Micro-USD: money is whole numbers of these, never floats. */
export type MicroUsd = number

/** A number a telephony provider has for sale. */
export interface InventoryNumber {
  readonly phoneNumber: string
  readonly formatted: string
  readonly country: Country
  /** Two-letter or named region, null where the plan has none. */
  readonly region: string | null
  readonly addressRequirements: 'none' | 'local' | 'foreign' | 'inventory'
  readonly smsCapable: boolean
}

export type Outcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string }

/**
 * The provider that owns the numbers. Every call that changes something takes an idempotency key:
 * the same key again gives the first answer and does nothing more, so a caller that crashed may simply ask again.
 */
export interface Telephony {
  /** Numbers of a country whose digits contain `contains`, in a stable order, without those ordered already. */
  search(query: { country: Country; contains?: string; limit: number }): Promise<readonly InventoryNumber[]>
  /** The number when it is for sale now, else null. */
  find(phoneNumber: string): Promise<InventoryNumber | null>
  order(key: string, phoneNumber: string): Promise<Outcome<{ readonly sid: string }>>
  release(key: string, phoneNumber: string): Promise<Outcome<object>>
}

/** The payment processor. Idempotent by key, as above. */
export interface Payments {
  /** Price of a month in a country, and its identifier at the processor. */
  price(country: Country): { readonly amount: MicroUsd; readonly priceId: string }
  /** Charges a payment method. `about` appears on the statement. */
  charge(key: string, charge: { method: string; amount: MicroUsd; about: string }): Promise<Outcome<{ readonly chargeId: string }>>
  refund(key: string, chargeId: string): Promise<Outcome<object>>
}

/** What the services ask of the outside world. */
export interface Providers {
  readonly telephony: Telephony
  readonly payments: Payments
}
