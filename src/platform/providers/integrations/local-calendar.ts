import type {
  Appointment,
  AppointmentDraft,
  AppointmentQuery,
  CalendarLookup,
  CalendarProvider,
  ConnectedResult,
  ConnectionAccess,
  ProviderResult,
} from '../../../engine/ports.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import type { LocalBookingTable } from '../../store/simulators/tables.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { runOnce, toDigits } from '../local/idempotent-request.ts'
import { testCalendar } from '../local/test-numbers.ts'

/** Duration of an appointment in minutes. Rows have its end, so a change applies to new and moved ones only. */
const appointmentMinutes = 30

/** The result of a request, stored with its key for a repeated one: fields are added, not renamed. */
type StoredResult = ProviderResult<{ readonly appointment: Appointment }>

const missing = { ok: false, reason: 'Appointment not found.', because: 'missing' } as const

interface Options {
  readonly connection: Connection
  readonly calendar: LocalBookingTable['calendar']
  readonly gate?: FaultInjector | undefined
}

/**
 * Creates a calendar that stores its appointments in the table `local_booking`. It uses its own transactions and never
 * takes part in the platform's.
 */
export function localCalendar({ connection, calendar, gate }: Options): CalendarProvider {
  const ownBookings = (query: PlatformQuery, { account }: ConnectionAccess) =>
    query.selectFrom('local_booking').selectAll().where('calendar', '=', calendar).where('owner', '=', account)

  /** Runs a change once for its key, in a transaction. */
  async function runStored(
    key: string,
    { account }: ConnectionAccess,
    request: unknown,
    change: (query: PlatformQuery) => Promise<StoredResult>,
  ): ConnectedResult<Appointment> {
    const scope = { name: `${calendar} of account ${account}` }
    const stored = await connection.write(scope, (query) => runOnce(query, key, request, () => change(query)))
    return stored.ok ? { ok: true, value: stored.appointment } : stored
  }

  /** Changes a booked appointment. */
  const change = (
    key: string,
    access: ConnectionAccess,
    id: string,
    request: unknown,
    values: Partial<LocalBookingTable>,
  ): ConnectedResult<Appointment> =>
    withFaultInjection(gate, 'bookings.change', () =>
      runStored(key, access, request, async (query) => {
        const found = await ownBookings(query, access).where('id', '=', id).executeTakeFirst()
        if (!found) return missing
        if (found.status === 'cancelled') return { ok: false, reason: 'The appointment is already cancelled.' }
        await query.updateTable('local_booking').set(values).where('id', '=', id).execute()
        return { ok: true, appointment: toAppointment({ ...found, ...values }) }
      }),
    )

  return {
    name: 'local',
    description:
      'Simulated calendar, stored in the database of this platform. Every time is free, and no messages are sent.',

    async find(access, { id, email, phone, from, until }: AppointmentQuery) {
      if (id !== undefined)
        return {
          ok: true,
          value: (await ownBookings(connection.read, access).where('id', '=', id).execute()).map(toAppointment),
        }
      const rows = await ownBookings(connection.read, access)
        .where('status', '=', 'booked')
        .$if(from !== undefined, (it) => it.where('start', '>=', toUtc(from ?? '')))
        .$if(until !== undefined, (it) => it.where('start', '<=', toUtc(until ?? '')))
        .$if(email !== undefined, (it) => it.where('email', '=', normalizeEmail(email) ?? ''))
        .orderBy('start')
        .orderBy('id')
        .execute()
      const digits = toDigits(phone ?? '')
      const found = rows.filter((it) => phone === undefined || (digits !== '' && toDigits(it.phone ?? '') === digits))
      return { ok: true, value: found.map(toAppointment) }
    },

    book: (key, access, draft: AppointmentDraft) =>
      withFaultInjection(gate, 'bookings.change', () =>
        runStored(key, access, { ...draft, calendar, account: access.account }, async (query) => {
          if (draft.event === testCalendar.missingEvent)
            return { ok: false, reason: 'Event not found.', because: 'missing' }
          const row: LocalBookingTable = {
            id: `booking_${digest(`${calendar} ${key}`, 16)}`,
            calendar,
            owner: access.account,
            title: draft.event,
            ...appointmentTimes(draft.start),
            status: 'booked',
            name: draft.name,
            email: normalizeEmail(draft.email),
            phone: draft.phone ?? null,
            notes: draft.notes ?? null,
          }
          await query.insertInto('local_booking').values(row).execute()
          return { ok: true, appointment: toAppointment(row) }
        }),
      ),

    move: (key, access, id, start) =>
      change(key, access, id, { calendar, account: access.account, id, start: toUtc(start) }, appointmentTimes(start)),

    cancel: (key, access, id, reason) =>
      change(
        key,
        access,
        id,
        { calendar, account: access.account, id, reason },
        { status: 'cancelled', ...(reason !== '' && { notes: reason }) },
      ),
  }
}

const normalizeEmail = (email: string | undefined): string | null => email?.trim().toLowerCase() ?? null
const toUtc = (time: string): string => new Date(time).toISOString()
const appointmentTimes = (start: string) => ({
  start: toUtc(start),
  ends: new Date(Date.parse(start) + appointmentMinutes * 60_000).toISOString(),
})

const toAppointment = ({
  id,
  title,
  start,
  ends: end,
  status,
  name,
  email,
  phone,
}: LocalBookingTable): Appointment => ({
  id,
  title,
  start,
  end,
  status,
  name,
  email,
  phone,
})

/**
 * Creates simulated calendars in which every event exists and every account owns every event type, except the test
 * values.
 */
export const localCalendarLookup = ({ gate }: { gate?: FaultInjector | undefined }): CalendarLookup => ({
  name: 'local',
  description: `Simulated calendars. Every event exists except ${testCalendar.missingEvent}, and every account owns every event type except ${testCalendar.foreignEventType}. Nothing is booked.`,

  eventName: (_, event) =>
    withFaultInjection(gate, 'calendars.event', async () =>
      event === testCalendar.missingEvent
        ? { ok: false, reason: 'Event not found.' }
        : { ok: true, name: `Event ${event}` },
    ),

  ownsEventType: (_, uri) =>
    withFaultInjection(gate, 'calendars.owner', async () => !uri.endsWith(`/${testCalendar.foreignEventType}`)),
})
