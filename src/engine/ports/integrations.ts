import type { Micros } from '../../contract/values/micros.ts'
import type { Provider, ProviderResult } from './provider.ts'

export interface Appointment {
  readonly id: string
  readonly title: string
  /** ISO 8601 with a time zone. */
  readonly start: string
  readonly end: string
  readonly status: 'booked' | 'cancelled'
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
}

/** Filter for appointments: all given fields must match. Times are ISO 8601. */
export interface AppointmentQuery {
  readonly id?: string | undefined
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
}

export interface AppointmentDraft {
  /** Type of appointment: slug, URI or id, depending on the provider. */
  readonly event: string
  readonly start: string
  readonly timezone: string
  readonly name: string
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly notes?: string | undefined
}

/** The calendar of a connected account. Without a connection it is the calendar of the account's assistants. */
export interface CalendarProvider extends Provider {
  /** Returns booked appointments, earliest first, or with `id` the one appointment in any status. */
  find(access: ConnectionAccess, query: AppointmentQuery): ConnectedResult<readonly Appointment[]>
  book(key: string, access: ConnectionAccess, appointment: AppointmentDraft): ConnectedResult<Appointment>
  move(key: string, access: ConnectionAccess, id: string, start: string, timezone: string): ConnectedResult<Appointment>
  cancel(key: string, access: ConnectionAccess, id: string, reason: string): ConnectedResult<Appointment>
}

/** The endpoint and credentials of a calendar of the first kind. */
interface CalendarAccess {
  readonly apiKey: string
  /** `us`, `eu`, or the base URL of a self-hosted deployment. */
  readonly endpoint: string
}

/** Reads the calendars that assistants book in. It changes nothing there. */
export interface CalendarLookup extends Provider {
  /** Returns the name of an event; refused if the credentials give no access to it. */
  eventName(access: CalendarAccess, event: string): Promise<ProviderResult<{ readonly name: string }>>
  /** Returns whether an event type of the second kind, a URI, belongs to the account of the token. */
  ownsEventType(token: string, uri: string): Promise<boolean>
}

export interface Contact {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly tags: readonly string[]
  readonly fields: Readonly<Record<string, unknown>>
}

/** The CRM of a connected account, with its calendar. */
export interface CrmProvider extends CalendarProvider {
  findContact(
    access: ConnectionAccess,
    query: { readonly email?: string | undefined; readonly phone?: string | undefined },
  ): ConnectedResult<Contact | null>
  /** Creates a contact, or updates the one with the same phone number or email address. */
  saveContact(key: string, access: ConnectionAccess, contact: Partial<Omit<Contact, 'id'>>): ConnectedResult<Contact>
  addNote(
    key: string,
    access: ConnectionAccess,
    contact: string,
    text: string,
  ): ConnectedResult<{ readonly id: string }>
  /** Returns the contacts created after the one with that id, or all of them, in the order of creation. */
  contactsAfter(access: ConnectionAccess, id: string | null): ConnectedResult<readonly Contact[]>
}

/** Row of a sheet. `number` counts from 1 and includes the header row. */
export interface SheetRow {
  readonly number: number
  readonly values: Readonly<Record<string, string>>
}

export interface SheetLocation {
  readonly spreadsheet: string
  /** Name of the sheet (default: the first sheet). */
  readonly sheet?: string | undefined
}

/** Spreadsheets of a connected account. Cells are keyed by header, else by column letter (`A`). */
export interface SpreadsheetProvider extends Provider {
  append(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    cells: Readonly<Record<string, string>>,
  ): ConnectedResult<SheetRow>
  update(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    row: number,
    cells: Readonly<Record<string, string>>,
  ): ConnectedResult<SheetRow>
  remove(key: string, access: ConnectionAccess, location: SheetLocation, row: number): ConnectedResult<undefined>
  /** Returns at most `limit` rows after row number `after`, without the header row. */
  rows(
    access: ConnectionAccess,
    location: SheetLocation,
    after: number,
    limit: number,
  ): ConnectedResult<readonly SheetRow[]>
}

/** The account that uses a connection, with its credentials. */
export interface ConnectionAccess {
  readonly account: number
  /** The secret of the connection, in the form its kind needs; empty without a connection. */
  readonly secret: Readonly<Record<string, unknown>>
  /** Time of the platform. */
  readonly now: Micros
}

/**
 * The result of a call to an account that a person connects once. A call that changes something takes an idempotency
 * key before the access: a repeated key returns the first result and does nothing more, and a key always belongs to one
 * request. Steps of automations call the same methods through `ConnectedPort`.
 */
export type ConnectedResult<T> = Promise<ProviderResult<{ readonly value: T }>>
