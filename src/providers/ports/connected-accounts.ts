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

/** An account's account elsewhere. */
export interface ConnectionAccess {
  readonly account: number
  /** The secret of its connection, as its kind needs it; empty where there is none. */
  readonly secret: Readonly<Record<string, unknown>>
}

/** What came of asking: why not, and whether it is because something is not there, the access is wrong, or the moment was bad. */
export type ProviderResult<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly reason: string; readonly because?: 'missing' | 'access' | 'busy' }

/**
 * Accounts elsewhere that a person connects once. As with the other providers, the same key again gives the first answer and does nothing more,
 * and a key belongs to one request for good.
 */
export interface MailProvider extends Provider {
  send(key: string, access: ConnectionAccess, mail: Mail, now: Micros): Promise<ProviderResult<{ readonly id: string }>>
}

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
  /** As `SheetsPort.rows`. */
  rows(
    access: ConnectionAccess,
    location: SheetLocation,
    after: number,
    limit: number,
  ): Promise<ProviderResult<{ readonly rows: readonly SheetRow[] }>>
}

export interface CalendarProvider extends Provider {
  /** Those still booked unless `id` is given, earliest first. */
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

export interface CrmProvider extends CalendarProvider {
  findContact(
    access: ConnectionAccess,
    query: { readonly email?: string | undefined; readonly phone?: string | undefined },
  ): Promise<Contact | null>
  /** Makes a contact, or changes the one with that number or mail address. */
  saveContact(key: string, access: ConnectionAccess, contact: Partial<Omit<Contact, 'id'>>): Promise<Contact>
  addNote(
    key: string,
    access: ConnectionAccess,
    contact: string,
    text: string,
  ): Promise<ProviderResult<{ readonly id: string }>>
  /** Contacts made after the one with that id, or all of them; in the order they were made. */
  contactsAfter(access: ConnectionAccess, id: string | null): Promise<readonly Contact[]>
}
