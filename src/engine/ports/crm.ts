import type { CalendarProvider } from './calendar.ts'
import type { ConnectedResult, ConnectionAccess } from './connection-access.ts'

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
