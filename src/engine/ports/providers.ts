import type { CalendarLookup, CalendarProvider, CrmProvider, SpreadsheetProvider } from './integrations.ts'
import type { LanguageModel } from './language-model.ts'
import type { MailProvider, MessagingChannel, SmsProvider } from './messaging.ts'
import type { PaymentProvider } from './payments.ts'
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
