import type {
  Appointment,
  AppointmentDraft,
  AppointmentQuery,
  Contact,
  Mail,
  Micros,
  SheetLocation,
  SheetRow,
} from '../../flow/pieces/ports.ts'
import type { Provider } from './providers.ts'

/** The account that uses a connection, with its credentials. */
export interface ConnectionAccess {
  readonly account: number
  /** The secret of the connection, in the form its kind needs; empty without a connection. */
  readonly secret: Readonly<Record<string, unknown>>
}

/**
 * The result of a provider call. A failure has a reason, and `because` when a record is missing, access is denied, or
 * the provider is busy.
 */
export type ProviderResult<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly reason: string; readonly because?: 'missing' | 'access' | 'busy' }

/**
 * Mail through an account that a person connects once. As with other providers, a repeated key returns the first result
 * and does nothing more, and a key always belongs to one request.
 */
export interface MailProvider extends Provider {
  send(key: string, access: ConnectionAccess, mail: Mail, now: Micros): Promise<ProviderResult<{ readonly id: string }>>
}

/** Spreadsheets of a connected account. */
export interface SpreadsheetProvider extends Provider {
  append(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    cells: Readonly<Record<string, string>>,
  ): Promise<ProviderResult<{ readonly row: SheetRow }>>
  update(
    key: string,
    access: ConnectionAccess,
    location: SheetLocation,
    row: number,
    cells: Readonly<Record<string, string>>,
  ): Promise<ProviderResult<{ readonly row: SheetRow }>>
  remove(key: string, access: ConnectionAccess, location: SheetLocation, row: number): Promise<ProviderResult<object>>
  /** Like `SheetsPort.rows`. */
  rows(
    access: ConnectionAccess,
    location: SheetLocation,
    after: number,
    limit: number,
  ): Promise<ProviderResult<{ readonly rows: readonly SheetRow[] }>>
}

/** The calendar of a connected account. */
export interface CalendarProvider extends Provider {
  /** Returns booked appointments, earliest first, or with `id` the one appointment in any status. */
  find(access: ConnectionAccess, query: AppointmentQuery): Promise<readonly Appointment[]>
  book(
    key: string,
    access: ConnectionAccess,
    draft: AppointmentDraft,
  ): Promise<ProviderResult<{ readonly appointment: Appointment }>>
  move(
    key: string,
    access: ConnectionAccess,
    id: string,
    start: string,
  ): Promise<ProviderResult<{ readonly appointment: Appointment }>>
  cancel(
    key: string,
    access: ConnectionAccess,
    id: string,
    reason: string,
  ): Promise<ProviderResult<{ readonly appointment: Appointment }>>
}

/** The CRM of a connected account, with its calendar. */
export interface CrmProvider extends CalendarProvider {
  findContact(
    access: ConnectionAccess,
    query: { readonly email?: string | undefined; readonly phone?: string | undefined },
  ): Promise<Contact | null>
  /** Creates a contact, or changes the one with that phone number or email address. */
  saveContact(key: string, access: ConnectionAccess, contact: Partial<Omit<Contact, 'id'>>): Promise<Contact>
  addNote(
    key: string,
    access: ConnectionAccess,
    contact: string,
    text: string,
  ): Promise<ProviderResult<{ readonly id: string }>>
  /** Returns the contacts created after the one with that id, or all of them, in the order of creation. */
  contactsAfter(access: ConnectionAccess, id: string | null): Promise<readonly Contact[]>
}
