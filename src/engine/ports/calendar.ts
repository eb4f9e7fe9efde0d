import type { ConnectedResult, ConnectionAccess } from './connection-access.ts'
import type { Provider } from './provider.ts'

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
