import type { Country } from '../../contract/values/countries.ts'
import type { MicroUsd, Provider, ProviderResult } from './provider.ts'

export interface ChargeRequest {
  /** Id of a payment method on file. */
  readonly method: string
  readonly amount: MicroUsd
  /** Text on the statement. */
  readonly about: string
  /** The phone number it pays for, stored with the charge. */
  readonly number?: string | undefined
}

/** The payment processor. Charges are idempotent by key as above, whichever payment method is on file. */
export interface PaymentProvider extends Provider {
  /** Returns the monthly price in a country, with its id at the processor. */
  price(country: Country): { readonly amount: MicroUsd; readonly priceId: string }
  charge(key: string, charge: ChargeRequest): Promise<ProviderResult<{ readonly chargeId: string }>>
  /** Refunds a whole charge. A charge is refunded only once, under any key. */
  refund(key: string, chargeId: string): Promise<ProviderResult<object>>
}
