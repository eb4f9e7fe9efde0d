import type { CalendarProvider } from './calendar.ts'
import type { CalendarLookup } from './calendar-lookup.ts'
import type { CallCarrier } from './call-carrier.ts'
import type { CrmProvider } from './crm.ts'
import type { LanguageModel } from './language-model.ts'
import type { MailProvider } from './mail.ts'
import type { MessagingChannel } from './messaging-channel.ts'
import type { PaymentProvider } from './payments.ts'
import type { SmsProvider } from './sms.ts'
import type { SpreadsheetProvider } from './spreadsheets.ts'
import type { TelephonyProvider } from './telephony.ts'
import type { VoiceInfrastructure } from './voice-infrastructure.ts'
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
