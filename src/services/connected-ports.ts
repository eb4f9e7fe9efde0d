import type { Appointment, AppointmentDraft, AppointmentQuery, Contact, Mail, Micros, SheetPlace, SheetRow } from '../automation/ports.ts'
import type { Provider } from './ports.ts'

/** An account's account elsewhere. */
export interface Whose {
  readonly account: number
  /** The secret of its connection, as its kind needs it; empty where there is none. */
  readonly access: Readonly<Record<string, unknown>>
}

/** What came of asking: why not, and whether it is because something is not there, the access is wrong, or the moment was bad. */
export type Told<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string; readonly because?: 'missing' | 'access' | 'busy' }

/**
 * Accounts elsewhere that a person connects once. As with the other providers, the same key again gives the first answer and does nothing more,
 * and a key belongs to one request for good.
 */
export interface Mailer extends Provider {
  send(key: string, whose: Whose, mail: Mail, now: Micros): Promise<Told<{ readonly id: string }>>
}

export interface Spreadsheets extends Provider {
  append(key: string, whose: Whose, at: SheetPlace, cells: Readonly<Record<string, string>>): Promise<Told<{ readonly row: SheetRow }>>
  update(key: string, whose: Whose, at: SheetPlace, row: number, cells: Readonly<Record<string, string>>): Promise<Told<{ readonly row: SheetRow }>>
  remove(key: string, whose: Whose, at: SheetPlace, row: number): Promise<Told<object>>
  /** As `SheetsPort.rows`. */
  rows(whose: Whose, at: SheetPlace, after: number, limit: number): Promise<Told<{ readonly rows: readonly SheetRow[] }>>
}

export interface Bookings extends Provider {
  /** Those still booked unless `id` is given, earliest first. */
  find(whose: Whose, query: AppointmentQuery): Promise<readonly Appointment[]>
  book(key: string, whose: Whose, draft: AppointmentDraft): Promise<Told<{ readonly appointment: Appointment }>>
  move(key: string, whose: Whose, id: string, start: string): Promise<Told<{ readonly appointment: Appointment }>>
  cancel(key: string, whose: Whose, id: string, reason: string): Promise<Told<{ readonly appointment: Appointment }>>
}

export interface Crm extends Bookings {
  findContact(whose: Whose, query: { readonly email?: string | undefined; readonly phone?: string | undefined }): Promise<Contact | null>
  /** Makes a contact, or changes the one with that number or mail address. */
  saveContact(key: string, whose: Whose, contact: Partial<Omit<Contact, 'id'>>): Promise<Contact>
  addNote(key: string, whose: Whose, contact: string, text: string): Promise<Told<{ readonly id: string }>>
  /** Contacts made after the one with that id, or all of them; in the order they were made. */
  contactsAfter(whose: Whose, id: string | null): Promise<readonly Contact[]>
}
