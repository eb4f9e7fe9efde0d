import type { Generated } from 'kysely'

/** Tables of the simulated email, spreadsheet, calendar and CRM services. `owner` is the id of an account. */

/** Action of a simulated calendar or CRM under an idempotency key, and its result. */
export interface LocalActTable {
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
export interface LocalSheetTable {
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
export interface LocalSheetChangeTable {
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

export interface LocalNoteTable {
  id: string
  contact: string
  text: string
}

export interface IntegrationSimulatorTables {
  local_act: LocalActTable
  local_mail: LocalMailTable
  local_sheet: LocalSheetTable
  local_sheet_change: LocalSheetChangeTable
  local_booking: LocalBookingTable
  local_contact: LocalContactTable
  local_note: LocalNoteTable
}
