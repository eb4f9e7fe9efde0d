import type { Country } from '../../contract/values/countries.ts'
import type { CalendarLookup, CalendarProvider, CrmProvider, SpreadsheetProvider } from './integrations.ts'
import type { LanguageModel } from './language-model.ts'
import type { MailProvider, MessagingChannel, SmsProvider } from './messaging.ts'
import type { MicroUsd, Provider, ProviderResult } from './provider.ts'
import type { CallCarrier, TelephonyProvider, VoiceInfrastructure } from './telephony.ts'
import type { WebsiteReader } from './website-reader.ts'

/** All external services that the platform uses. */
export interface Providers {
  readonly telephony: TelephonyProvider
  readonly payments: PaymentProvider
  readonly channel: MessagingChannel
  readonly reader: WebsiteReader
  readonly voice: VoiceInfrastructure
  readonly calendars: CalendarLookup
  readonly language: LanguageModel
  readonly carrier: CallCarrier
  readonly sms: SmsProvider
  readonly mail: MailProvider
  readonly sheets: SpreadsheetProvider
  readonly calendarA: CalendarProvider
  readonly calendarB: CalendarProvider
  readonly crmB: CrmProvider
}

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
