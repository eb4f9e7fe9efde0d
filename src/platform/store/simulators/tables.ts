// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'

/** Tables of the simulated messaging channel, separate from those of the platform. */

/** Messages recorded by the simulated channel provider. */
export interface LocalChannelSendTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  media_url: string | null
  failure: string | null
}

/** State of a sender on the simulated channel, if it differs from what the platform knew. */
export interface LocalSenderTable {
  phone_number: string
  status: string | null
  quality_rating: string | null
  messaging_limit: number | null
  limit_known: number | null
}

/** State of a template on the simulated channel. */
interface LocalTemplateTable {
  sender: string
  name: string
  language: string
  status: string
}

/** The tables of this file by name, a part of the type of the database. */
export interface ChannelSimulatorTables {
  local_channel_send: LocalChannelSendTable
  local_sender: LocalSenderTable
  local_template: LocalTemplateTable
}

/** Tables of the simulated email, spreadsheet, calendar and CRM services. `owner` is the id of an account. */

/** Action of a simulated calendar or CRM under an idempotency key, and its result. */
interface LocalActTable {
  key: string
  /** Request as JSON. */
  request: string
  result: string
}

/** Email that was sent to `server`, or only stored if that is null. */
export interface LocalMailTable {
  key: string
  owner: number
  id: string
  server: string | null
  sender: string
  recipients: string
  subject: string
  body: string
  at: number
}

/** File with rows. Its row is updated to give one process at a time access to the file. */
interface LocalSheetTable {
  /** Path of the file, or `spreadsheets/<account>/<name>.csv` for a sheet in the database. */
  file: string
  changes: number
  /** CSV text of a sheet in the database; null if it is in the file. */
  content: Generated<string | null>
}

/**
 * Change of a file, recorded before the file is written. `lines` is the previous number of lines; `result` is null
 * until the change is confirmed.
 */
interface LocalSheetChangeTable {
  key: string
  file: string
  number: number
  lines: number
  change: string
  result: string | null
}

/** Appointment. `start` and `ends` are ISO 8601 in UTC. */
export interface LocalBookingTable {
  id: string
  calendar: 'calendar-a' | 'calendar-b' | 'crm-b'
  owner: number
  title: string
  start: string
  ends: string
  status: 'booked' | 'cancelled'
  name: string | null
  email: string | null
  phone: string | null
  notes: string | null
}

/** Contact. `number` is the order of creation. */
export interface LocalContactTable {
  number: Generated<number>
  id: string
  owner: number
  name: string | null
  email: string | null
  phone: string | null
  tags: string
  fields: string
}

interface LocalNoteTable {
  id: string
  contact: string
  text: string
}

/** The tables of this file by name, a part of the type of the database. */
export interface IntegrationSimulatorTables {
  local_act: LocalActTable
  local_mail: LocalMailTable
  local_sheet: LocalSheetTable
  local_sheet_change: LocalSheetChangeTable
  local_booking: LocalBookingTable
  local_contact: LocalContactTable
  local_note: LocalNoteTable
}

/** Tables of the simulated payment processor, separate from those of the platform. */

/** Charges recorded by the simulated payment processor. */
export interface LocalChargeTable {
  key: string
  charge_id: string | null
  method: string
  amount: number
  about: string
  failure: string | null
  refunded: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface PaymentSimulatorTables {
  local_charge: LocalChargeTable
}

/** Tables of the simulated telephony provider and voice infrastructure, separate from those of the platform. */

/** Orders recorded by the simulated telephony provider. */
export interface LocalOrderTable {
  key: string
  phone_number: string
  sid: string | null
  failure: string | null
  released: number
}

/** Calls recorded by the simulated carrier. `at` is the time when the call was placed. */
interface LocalCallTable {
  key: string
  sid: string | null
  caller: string | null
  callee: string
  at: number
  failure: string | null
  /** Scripted course of the call as JSON, if one was set. */
  script: Generated<string | null>
}

/** Scripted courses of the next calls to a number, in order, for the simulated carrier. */
interface LocalScriptTable {
  id: Generated<number>
  callee: string
  script: string
}

/** SMS recorded by the simulated carrier. */
interface LocalSmsTable {
  key: string
  sid: string | null
  sender: string
  recipient: string
  body: string
  failure: string | null
}

/** Simulated voice infrastructure, per key: a trunk (`id`), an error (`failure`), or a `deleted` one. No passwords. */
export interface LocalTrunkTable {
  key: string
  id: string | null
  direction: string | null
  configuration: string | null
  failure: string | null
  deleted: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface TelephonySimulatorTables {
  local_order: LocalOrderTable
  local_call: LocalCallTable
  local_script: LocalScriptTable
  local_sms: LocalSmsTable
  local_trunk: LocalTrunkTable
}
