import type { Connection } from '../../store/database/connection.ts'
import { localCalendarLookup } from '../integrations/local-calendar-lookup.ts'
import type { ConfiguredOptions } from '../language-model/configured-model.ts'
import { lazyModel } from '../language-model/lazy-model.ts'
import { localPayments } from '../payments/local-payments.ts'
import type { CalendarProvider } from '../ports/calendar.ts'
import type { CallCarrier } from '../ports/call-carrier.ts'
import type { CrmProvider } from '../ports/crm.ts'
import type { MailProvider } from '../ports/mail.ts'
import type { MessagingChannel } from '../ports/messaging-channel.ts'
import type { Providers } from '../ports/providers.ts'
import type { SmsProvider } from '../ports/sms.ts'
import type { SpreadsheetProvider } from '../ports/spreadsheets.ts'
import type { TelephonyProvider } from '../ports/telephony.ts'
import type { VoiceInfrastructure } from '../ports/voice-infrastructure.ts'
import { createReader, type ReaderOptions } from '../website-reader/website-reader.ts'
import type { FaultInjector } from './fault-injection.ts'
import { lazyProvider, type ProviderMethods } from './lazy-provider.ts'

const calendarMethods: ProviderMethods<CalendarProvider> = { find: true, book: true, move: true, cancel: true }

/**
 * Creates the local providers. Everything is stored in the platform's database, and spreadsheets in `folder`; results
 * are deterministic for a seed. Data leaves the machine only as mail (when a connection names a server) and as messages
 * to a configured language model. Websites are fetched only with `http`.
 */
export function localProviders(options: {
  connection: Connection
  seed: string
  folder: string
  gate?: FaultInjector | undefined
  language?: Omit<ConfiguredOptions, 'gate'>
  http?: ReaderOptions['http']
}): Providers {
  const calendar = (name: 'calendar-a' | 'calendar-b'): CalendarProvider =>
    lazyProvider<CalendarProvider>(calendarMethods, async () =>
      (await import('../integrations/local-calendar.ts')).localCalendar({ ...options, calendar: name }),
    )
  return {
    telephony: lazyProvider<TelephonyProvider>({ search: true, find: true, order: true, release: true }, async () =>
      (await import('../telephony/local-telephony.ts')).localTelephony(options),
    ),
    // The payment provider is not lazy, because `price` is synchronous.
    payments: localPayments(options),
    channel: lazyProvider<MessagingChannel>({ send: true, sender: true, templates: true }, async () =>
      (await import('../messaging/local-channel.ts')).localChannel(options),
    ),
    reader: createReader(options),
    voice: lazyProvider<VoiceInfrastructure>({ createTrunk: true, deleteTrunk: true }, async () =>
      (await import('../telephony/local-voice.ts')).localVoice(options),
    ),
    calendars: localCalendarLookup(options),
    language: lazyModel(options.language, options.gate),
    carrier: lazyProvider<CallCarrier>({ dial: true, answer: true, getProgress: true, hangUp: true }, async () =>
      (await import('../telephony/local-carrier.ts')).localCarrier(options),
    ),
    sms: lazyProvider<SmsProvider>({ send: true }, async () =>
      (await import('../messaging/local-sms.ts')).localSms(options),
    ),
    mail: lazyProvider<MailProvider>({ send: true }, async () =>
      (await import('../messaging/local-mail.ts')).localMail(options),
    ),
    sheets: lazyProvider<SpreadsheetProvider>({ append: true, update: true, remove: true, rows: true }, async () =>
      (await import('../integrations/local-spreadsheets.ts')).localSpreadsheets(options),
    ),
    calendarA: calendar('calendar-a'),
    calendarB: calendar('calendar-b'),
    crmB: lazyProvider<CrmProvider>(
      { ...calendarMethods, findContact: true, saveContact: true, addNote: true, contactsAfter: true },
      async () => (await import('../integrations/local-crm.ts')).localCrm(options),
    ),
  }
}
