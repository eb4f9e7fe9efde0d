import type { Generated } from 'kysely'

/** What the simulated mail, spreadsheet, calendar and CRM services know: kept apart from the platform's own tables. `owner` is an account's id. */

/** What a calendar or the CRM did under a key, and its answer. */
export interface LocalActTable {
  key: string
  /** JSON of what was asked. */
  request: string
  result: string
}

/** A mail that went out: to `server`, or nowhere when that is null. */
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

/** A file of rows; writing its row is how one process at a time gets to the file. */
export interface LocalSheetTable {
  file: string
  changes: number
}

/** A change of a file, written down before the file is: `lines` is how many the file had, and `result` is null until it is certain that it was changed. */
export interface LocalSheetChangeTable {
  key: string
  file: string
  number: number
  lines: number
  change: string
  result: string | null
}

/** An appointment; `start` and `ends` are ISO 8601 in UTC. */
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

/** A contact; `number` is the order they were made in. */
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
