import type { Appointment, AppointmentDraft, AppointmentQuery } from '../../automation/ports.ts'
import type { Bookings, Told, Whose } from '../../services/connected-ports.ts'
import type { LocalBookingTable } from '../../store/connected-tables.ts'
import type { Connection, Query } from '../../store/connection.ts'
import { digitsOf, once } from '../acts.ts'
import { digest } from '../digest.ts'
import { type Gate, throughGate } from '../gate.ts'
import { magicCalendar } from '../magic.ts'

/** Minutes of an appointment. */
const lasts = 30

const missing = { ok: false, reason: 'There is no such appointment.', because: 'missing' } as const

interface Options {
  readonly connection: Connection
  readonly calendar: LocalBookingTable['calendar']
  readonly gate?: Gate | undefined
}

/** A calendar whose books are the table `local_booking`. Its own transactions: it never takes part in the platform's. */
export function localBookings({ connection, calendar, gate }: Options): Bookings {
  const ofOwner = (query: Query, { account }: Whose) =>
    query.selectFrom('local_booking').selectAll().where('calendar', '=', calendar).where('owner', '=', account)

  /** Changes an appointment that is booked. */
  const change = (
    key: string,
    whose: Whose,
    id: string,
    request: unknown,
    values: Partial<LocalBookingTable>,
  ): Promise<Told<{ readonly appointment: Appointment }>> =>
    throughGate(gate, 'bookings.change', () =>
      connection.write((query) =>
        once(query, key, request, async () => {
          const found = await ofOwner(query, whose).where('id', '=', id).executeTakeFirst()
          if (!found) return missing
          if (found.status === 'cancelled') return { ok: false, reason: 'The appointment is cancelled already.' } as const
          await query.updateTable('local_booking').set(values).where('id', '=', id).execute()
          return { ok: true, appointment: toAppointment({ ...found, ...values }) } as const
        }),
      ),
    )

  return {
    name: 'local',
    description: 'A made-up calendar with its books in the database of this platform: every time is free, and nobody is written to.',

    async find(whose, { id, email, phone, from, until }: AppointmentQuery) {
      if (id !== undefined) return (await ofOwner(connection.read, whose).where('id', '=', id).execute()).map(toAppointment)
      const rows = await ofOwner(connection.read, whose)
        .where('status', '=', 'booked')
        .$if(from !== undefined, (it) => it.where('start', '>=', utc(from ?? '')))
        .$if(until !== undefined, (it) => it.where('start', '<=', utc(until ?? '')))
        .$if(email !== undefined, (it) => it.where('email', '=', mailOf(email) ?? ''))
        .orderBy('start')
        .orderBy('id')
        .execute()
      const digits = digitsOf(phone ?? '')
      return rows.filter((it) => phone === undefined || (digits !== '' && digitsOf(it.phone ?? '') === digits)).map(toAppointment)
    },

    book: (key, whose, draft: AppointmentDraft) =>
      throughGate(gate, 'bookings.change', () =>
        connection.write((query) =>
          once(query, key, { ...draft, calendar, account: whose.account }, async () => {
            if (draft.event === magicCalendar.missingEvent) return { ok: false, reason: 'There is no such event.', because: 'missing' } as const
            const row: LocalBookingTable = {
              id: `booking_${digest(`${calendar} ${key}`, 16)}`,
              calendar,
              owner: whose.account,
              title: draft.event,
              ...timesOf(draft.start),
              status: 'booked',
              name: draft.name,
              email: mailOf(draft.email),
              phone: draft.phone ?? null,
              notes: draft.notes ?? null,
            }
            await query.insertInto('local_booking').values(row).execute()
            return { ok: true, appointment: toAppointment(row) } as const
          }),
        ),
      ),

    move: (key, whose, id, start) => change(key, whose, id, { calendar, account: whose.account, id, start: utc(start) }, timesOf(start)),

    cancel: (key, whose, id, reason) =>
      change(key, whose, id, { calendar, account: whose.account, id, reason }, { status: 'cancelled', ...(reason !== '' && { notes: reason }) }),
  }
}

const mailOf = (email: string | undefined): string | null => email?.trim().toLowerCase() ?? null
const utc = (time: string): string => new Date(time).toISOString()
const timesOf = (start: string) => ({ start: utc(start), ends: new Date(Date.parse(start) + lasts * 60_000).toISOString() })

const toAppointment = ({ id, title, start, ends: end, status, name, email, phone }: LocalBookingTable): Appointment => ({
  id,
  title,
  start,
  end,
  status,
  name,
  email,
  phone,
})
