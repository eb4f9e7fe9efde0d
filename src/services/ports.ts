import type { Country } from '../contract/countries.ts'

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

/** What a provider says about one number. */
export interface Offer extends InventoryNumber {
  /** A provider may refuse a number by name: the purchase then ends as `numbers.<refuses>` before anything is reserved or charged. */
  readonly refuses?: 'in_use' | 'no_payment_method'
}

export type Outcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string }

/** Who answers, for people who ask which outside world a platform is connected to. */
export interface Provider {
  /** One word, such as `local`. */
  readonly name: string
  /** A sentence saying what it is. */
  readonly description: string
}

/**
 * The provider that owns the numbers. Every call that changes something takes an idempotency key:
 * the same key again gives the first answer (a refusal too) and does nothing more, so a caller that crashed may simply ask again.
 * A key belongs to one request for good: with other arguments, or for another call, it rejects.
 */
export interface Telephony extends Provider {
  /** Numbers of a country whose E.164 digits contain `contains`, in a stable order, without those ordered already. */
  search(query: { country: Country; contains?: string | undefined; limit: number }): Promise<readonly InventoryNumber[]>
  /** The number when it is for sale now, else null. */
  find(phoneNumber: string): Promise<Offer | null>
  order(key: string, phoneNumber: string): Promise<Outcome<{ readonly sid: string }>>
  /** Gives back the number's live order; refused when there is none. */
  release(key: string, phoneNumber: string): Promise<Outcome<object>>
}

export interface Charge {
  /** Identifier of a payment method on file. */
  readonly method: string
  readonly amount: MicroUsd
  /** Appears on the statement. */
  readonly about: string
  /** The phone number it pays for, kept with the charge. */
  readonly number?: string | undefined
}

/** The payment processor. Charging is idempotent by key, as above, whichever method is on file by now: who asks again after a crash is told what became of the first. */
export interface Payments extends Provider {
  /** Price of a month in a country, and its identifier at the processor. */
  price(country: Country): { readonly amount: MicroUsd; readonly priceId: string }
  charge(key: string, charge: Charge): Promise<Outcome<{ readonly chargeId: string }>>
  /** Gives a whole charge back. A charge is refunded once, however often and under whichever key it is asked. */
  refund(key: string, chargeId: string): Promise<Outcome<object>>
}

/** What the services ask of the outside world. */
export interface Providers {
  readonly telephony: Telephony
  readonly payments: Payments
}
