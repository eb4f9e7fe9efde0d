import type {
  CalendarProvider,
  CallCarrier,
  CrmProvider,
  MailProvider,
  MessagingChannel,
  Provider,
  Providers,
  SmsProvider,
  SpreadsheetProvider,
  TelephonyProvider,
  VoiceInfrastructure,
} from '../../../engine/ports.ts'
import type { Connection } from '../../store/database/connection.ts'
import { localCalendar, localCalendarLookup } from '../integrations/local-calendar.ts'
import type { ConfiguredOptions } from '../language-model/configured-model.ts'
import { lazyModel } from '../language-model/lazy-model.ts'
import { localPayments } from '../payments/local-payments.ts'
import { createReader, type ReaderOptions } from '../website-reader/website-reader.ts'
import type { FaultInjector } from './fault-injection.ts'

/** The methods of a provider by name: callers have no others. The compiler reports a missing one. */
type ProviderMethods<T extends Provider> = Readonly<Record<Exclude<keyof T, keyof Provider>, true>>

type ProviderMethod = (...values: unknown[]) => Promise<unknown>

/**
 * Creates a provider that is loaded on its first call, because most commands use none. Its own description is available
 * through `describe`.
 */
function lazyProvider<T extends Provider>(methods: ProviderMethods<T>, make: () => Promise<T>): T {
  let created: Promise<T> | undefined
  const provider = (): Promise<T> => (created ??= make())
  const calls = Object.keys(methods).map((name): [string, ProviderMethod] => [
    name,
    async (...values) => ((await provider()) as unknown as Record<string, ProviderMethod>)[name]?.(...values),
  ])
  return {
    name: 'local',
    description: 'Stored in the database of this platform.',
    describe: async () => (await provider()).description,
    ...Object.fromEntries(calls),
  } as T
}

const called = () => import('./called-providers.ts')

const calendarMethods: ProviderMethods<CalendarProvider> = { find: true, book: true, move: true, cancel: true }

/**
 * Creates the local providers. Everything is stored in the platform's database, and spreadsheets in `folder`; results
 * are deterministic for a seed. The seed of a database never changes, because its numbers for sale follow from it. Data
 * leaves the machine only as mail (when a connection names a server) and as messages to a configured language model.
 * Websites are fetched only with `http`.
 */
export function localProviders(options: {
  connection: Connection
  seed: string
  folder: string
  gate?: FaultInjector | undefined
  language?: Omit<ConfiguredOptions, 'gate'>
  http?: ReaderOptions['http']
  /** Sends no mail to a server. */
  isOffline?: boolean | undefined
}): Providers {
  // These names are kinds of connections, and rows of `local_booking` have them: they never change.
  const calendar = (name: 'calendar-a' | 'calendar-b'): CalendarProvider =>
    lazyProvider<CalendarProvider>(calendarMethods, async () => localCalendar({ ...options, calendar: name }))
  return {
    telephony: lazyProvider<TelephonyProvider>({ search: true, find: true, order: true, release: true }, async () =>
      (await called()).localTelephony(options),
    ),
    // The payment provider is not lazy, because `price` is synchronous.
    payments: localPayments(options),
    channel: lazyProvider<MessagingChannel>({ send: true, sender: true, templates: true }, async () =>
      (await called()).localChannel(options),
    ),
    reader: createReader(options),
    voice: lazyProvider<VoiceInfrastructure>({ createTrunk: true, deleteTrunk: true }, async () =>
      (await called()).localVoice(options),
    ),
    calendars: localCalendarLookup(options),
    language: lazyModel(options.language, options.gate),
    carrier: lazyProvider<CallCarrier>({ dial: true, answer: true, getProgress: true, hangUp: true }, async () =>
      (await called()).localCarrier(options),
    ),
    sms: lazyProvider<SmsProvider>({ send: true }, async () => (await called()).localSms(options)),
    mail: lazyProvider<MailProvider>({ send: true }, async () => (await called()).localMail(options)),
    sheets: lazyProvider<SpreadsheetProvider>({ append: true, update: true, remove: true, rows: true }, async () =>
      (await called()).localSpreadsheets(options),
    ),
    calendarA: calendar('calendar-a'),
    calendarB: calendar('calendar-b'),
    crmB: lazyProvider<CrmProvider>(
      { ...calendarMethods, findContact: true, saveContact: true, addNote: true, contactsAfter: true },
      async () => (await called()).localCrm(options),
    ),
  }
}
