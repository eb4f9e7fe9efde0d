import type { Providers } from '../services/ports.ts'
import type { Connection } from '../store/connection.ts'
import { localBookings } from './bookings/local.ts'
import { localCalendars } from './calendars.ts'
import { localCarrier } from './calls/local.ts'
import { localChannel } from './channel/local.ts'
import { localCrm } from './crm/local.ts'
import type { Gate } from './gate.ts'
import type { ConfiguredOptions } from './language/configured.ts'
import { lateLanguage } from './language/late.ts'
import { localMail } from './mail/local.ts'
import { localPayments } from './payments/local.ts'
import { createReader, type ReaderOptions } from './reader.ts'
import { localSheets } from './sheets/local.ts'
import { localTelephony } from './telephony/local.ts'
import { localTexting } from './texting/local.ts'
import { localVoice } from './voice/local.ts'

/**
 * An outside world that is all in the platform's own database, and spreadsheets in `folder`: deterministic for a seed, reached over no network, and
 * saying so. Only mail leaves, where a connection names a server, and what is said to a language model the operator has configured;
 * websites are read with `http` alone.
 */
export const localProviders = (options: {
  connection: Connection
  seed: string
  folder: string
  gate?: Gate | undefined
  language?: Omit<ConfiguredOptions, 'gate'>
  http?: ReaderOptions['http']
}): Providers => ({
  telephony: localTelephony(options),
  payments: localPayments(options),
  channel: localChannel(options),
  reader: createReader(options),
  voice: localVoice(options),
  calendars: localCalendars(options),
  language: lateLanguage(options.language, options.gate),
  carrier: localCarrier(options),
  texting: localTexting(options),
  mail: localMail(options),
  sheets: localSheets(options),
  calendarA: localBookings({ ...options, calendar: 'calendar-a' }),
  calendarB: localBookings({ ...options, calendar: 'calendar-b' }),
  crmB: localCrm(options),
})
