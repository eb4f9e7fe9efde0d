import type { Bookings, Crm, Mailer, Spreadsheets } from '../services/connected-ports.ts'
import type { Carrier, Channel, Providers, Telephony, Texting, VoiceInfrastructure } from '../services/ports.ts'
import type { Connection } from '../store/connection.ts'
import { localCalendars } from './calendars.ts'
import type { Gate } from './gate.ts'
import type { ConfiguredOptions } from './language/configured.ts'
import { lateLanguage } from './language/late.ts'
import { type Asked, lateProvider } from './late.ts'
import { localPayments } from './payments/local.ts'
import { createReader, type ReaderOptions } from './reader.ts'

const bookings: Asked<Bookings> = { find: true, book: true, move: true, cancel: true }

/**
 * An outside world that is all in the platform's own database, and spreadsheets in `folder`: deterministic for a seed, reached over no network, and
 * saying so. Only mail leaves, where a connection names a server, and what is said to a language model the operator has configured;
 * websites are read with `http` alone.
 */
export function localProviders(options: {
  connection: Connection
  seed: string
  folder: string
  gate?: Gate | undefined
  language?: Omit<ConfiguredOptions, 'gate'>
  http?: ReaderOptions['http']
}): Providers {
  const calendar = (name: 'calendar-a' | 'calendar-b'): Bookings =>
    lateProvider<Bookings>(bookings, async () => (await import('./bookings/local.ts')).localBookings({ ...options, calendar: name }))
  return {
    telephony: lateProvider<Telephony>({ search: true, find: true, order: true, release: true }, async () =>
      (await import('./telephony/local.ts')).localTelephony(options),
    ),
    // Its prices are asked for in passing.
    payments: localPayments(options),
    channel: lateProvider<Channel>({ send: true, sender: true, templates: true }, async () => (await import('./channel/local.ts')).localChannel(options)),
    reader: createReader(options),
    voice: lateProvider<VoiceInfrastructure>({ createTrunk: true, deleteTrunk: true }, async () => (await import('./voice/local.ts')).localVoice(options)),
    calendars: localCalendars(options),
    language: lateLanguage(options.language, options.gate),
    carrier: lateProvider<Carrier>({ dial: true, answer: true, look: true }, async () => (await import('./calls/local.ts')).localCarrier(options)),
    texting: lateProvider<Texting>({ send: true }, async () => (await import('./texting/local.ts')).localTexting(options)),
    mail: lateProvider<Mailer>({ send: true }, async () => (await import('./mail/local.ts')).localMail(options)),
    sheets: lateProvider<Spreadsheets>({ append: true, update: true, remove: true, rows: true }, async () =>
      (await import('./sheets/local.ts')).localSheets(options),
    ),
    calendarA: calendar('calendar-a'),
    calendarB: calendar('calendar-b'),
    crmB: lateProvider<Crm>({ ...bookings, findContact: true, saveContact: true, addNote: true, contactsAfter: true }, async () =>
      (await import('./crm/local.ts')).localCrm(options),
    ),
  }
}
