import type { Country } from '../../contract/values/countries.ts'
import type { Provider, ProviderResult } from './provider.ts'

/** A phone number for sale at a telephony provider. */
export interface InventoryNumber {
  readonly phoneNumber: string
  readonly formatted: string
  readonly country: Country
  /** Two-letter or named region; null if the numbering plan has none. */
  readonly region: string | null
  readonly addressRequirements: 'none' | 'local' | 'foreign' | 'inventory'
  readonly smsCapable: boolean
}

/** A provider's offer for one number. */
export interface NumberOffer extends InventoryNumber {
  /** Set when the provider refuses it. The purchase then fails as `numbers.<refusal>` before any charge. */
  readonly refusal?: 'in_use' | 'no_payment_method'
}

/**
 * The provider that owns the numbers. Changes take an idempotency key, so they can be repeated after a crash: the same
 * key returns the first result (also a refusal) and does nothing more. With another request or call, the key rejects.
 */
export interface TelephonyProvider extends Provider {
  /** Returns numbers whose E.164 digits contain `contains`, in a stable order, without ordered ones. */
  search(query: { country: Country; contains?: string | undefined; limit: number }): Promise<readonly InventoryNumber[]>
  /** Returns the number if it is for sale now, else null. */
  find(phoneNumber: string): Promise<NumberOffer | null>
  order(key: string, phoneNumber: string): Promise<ProviderResult<{ readonly sid: string }>>
  /** Releases the active order of the number; refused when there is none. */
  release(key: string, phoneNumber: string): Promise<ProviderResult<object>>
}
