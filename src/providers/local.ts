import type { CalendarProvider, CrmProvider, MailProvider, SpreadsheetProvider } from '../services/connected-ports.ts'
import type { CallCarrier, MessagingChannel, Providers, TelephonyProvider, SmsProvider, VoiceInfrastructure } from '../services/ports.ts'
import type { Connection } from '../store/connection.ts'
import { localCalendarLookup } from './calendars.ts'
import type { FaultInjector } from './gate.ts'
import type { ConfiguredOptions } from './language/configured.ts'
import { lazyModel } from './language/late.ts'
import { type ProviderMethods, lazyProvider } from './late.ts'
import { localPayments } from './payments/local.ts'
import { createReader, type ReaderOptions } from './reader.ts'

const calendarMethods: ProviderMethods<CalendarProvider> = { find: true, book: true, move: true, cancel: true }

/**
 * An outside world that is all in the platform's own database, and spreadsheets in `folder`: deterministic for a seed, reached over no network, and
 * saying so. Only mail leaves, where a connection names a server, and what is said to a language model the operator has configured;
 * websites are read with `http` alone.
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
    lazyProvider<CalendarProvider>(calendarMethods, async () => (await import('./bookings/local.ts')).localCalendar({ ...options, calendar: name }))
  return {
    telephony: lazyProvider<TelephonyProvider>({ search: true, find: true, order: true, release: true }, async () =>
      (await import('./telephony/local.ts')).localTelephony(options),
    ),
    // Its prices are asked for in passing.
    payments: localPayments(options),
    channel: lazyProvider<MessagingChannel>({ send: true, sender: true, templates: true }, async () => (await import('./channel/local.ts')).localChannel(options)),
    reader: createReader(options),
    voice: lazyProvider<VoiceInfrastructure>({ createTrunk: true, deleteTrunk: true }, async () => (await import('./voice/local.ts')).localVoice(options)),
    calendars: localCalendarLookup(options),
    language: lazyModel(options.language, options.gate),
    carrier: lazyProvider<CallCarrier>({ dial: true, answer: true, getProgress: true }, async () => (await import('./calls/local.ts')).localCarrier(options)),
    sms: lazyProvider<SmsProvider>({ send: true }, async () => (await import('./texting/local.ts')).localSms(options)),
    mail: lazyProvider<MailProvider>({ send: true }, async () => (await import('./mail/local.ts')).localMail(options)),
    sheets: lazyProvider<SpreadsheetProvider>({ append: true, update: true, remove: true, rows: true }, async () =>
      (await import('./sheets/local.ts')).localSpreadsheets(options),
    ),
    calendarA: calendar('calendar-a'),
    calendarB: calendar('calendar-b'),
    crmB: lazyProvider<CrmProvider>({ ...calendarMethods, findContact: true, saveContact: true, addNote: true, contactsAfter: true }, async () =>
      (await import('./crm/local.ts')).localCrm(options),
    ),
  }
}
