import * as z from '../../contract/schema/schema.ts'
import { isObject } from '../../contract/values/json-object.ts'
import type { AppointmentQuery } from '../ports/integrations.ts'
import { parseZonedMillis, zonedDateTime } from './date-format.ts'
import { anyText, fields, moment, optionalText, text, wholeNumber, zone } from './input-fields.ts'
import { action, done, type Piece, type Trigger } from './piece.ts'
import type { AutomationPorts, CalendarPort, ConnectionKind } from './ports.ts'

const optionalMoment = z.preprocess(
  (it) => (it === undefined || it === null || it === '' ? undefined : it),
  moment.optional(),
)
const startTime = zonedDateTime.describe('Date and time of the start; without an offset, in timezone')
const appointmentId = text.describe('Id of the appointment')
const iso = (millis: number): string => new Date(millis).toISOString()

interface CalendarKind {
  readonly port: (ports: AutomationPorts) => CalendarPort
  /** Whether changes count as side effects, because the calendar notifies attendees. */
  readonly hasSideEffects: boolean
  /** Connection that the actions require, if any. */
  readonly connection?: ConnectionKind
}

/** Returns the actions that find, book, move and cancel appointments in one kind of calendar. */
function appointmentActions({ port, hasSideEffects, connection }: CalendarKind): Piece['actions'] {
  const rest = connection === undefined ? {} : { connection }
  return {
    find_bookings: action({
      title: 'Find appointments',
      ...rest,
      input: fields({
        id: optionalText.describe('Id of the appointment'),
        email: optionalText.describe('Email address of the attendee'),
        phone: optionalText.describe('Phone number of the attendee'),
        from: optionalMoment.describe('Date and time of the first start'),
        until: optionalMoment.describe('Date and time before which appointments start'),
        limit: wholeNumber(10, 1, 100).describe('Maximum number of appointments to return'),
      }),
      run: async (input, { account, ports }) => {
        const query: AppointmentQuery = {
          id: input.id,
          email: input.email,
          phone: input.phone,
          from: input.from === undefined ? undefined : iso(input.from),
          until: input.until === undefined ? undefined : iso(input.until),
        }
        const found = (await port(ports).find(account, query)).slice(0, input.limit)
        return done({ found: found.length > 0, count: found.length, booking: found[0] ?? null, bookings: found })
      },
    }),
    create_booking: action({
      title: 'Book an appointment',
      changesExternalData: true,
      ...rest,
      hasSideEffects,
      input: fields({
        event: text.describe('Type of appointment: its slug, URI or id, depending on the calendar'),
        start: startTime,
        timezone: zone,
        name: text.describe('Name of the attendee'),
        email: optionalText.describe('Email address of the attendee'),
        phone: optionalText.describe('Phone number of the attendee'),
        notes: optionalText.describe('Notes about the appointment'),
      }),
      run: async (input, { account, key, ports }) => {
        const { event, timezone, name, email, phone, notes } = input
        return done(
          await port(ports).book(
            { account, key },
            { event, start: iso(parseZonedMillis(input.start, timezone)), timezone, name, email, phone, notes },
          ),
        )
      },
    }),
    reschedule_booking: action({
      title: 'Move an appointment',
      changesExternalData: true,
      ...rest,
      hasSideEffects,
      input: fields({ id: appointmentId, start: startTime, timezone: zone }),
      run: async (input, { account, key, ports }) =>
        done(
          await port(ports).move(
            { account, key },
            input.id,
            iso(parseZonedMillis(input.start, input.timezone)),
            input.timezone,
          ),
        ),
    }),
    cancel_booking: action({
      title: 'Cancel an appointment',
      changesExternalData: true,
      ...rest,
      hasSideEffects,
      input: fields({ id: appointmentId, reason: anyText.describe('Reason of the cancellation') }),
      run: async (it, { account, key, ports }) => done(await port(ports).cancel({ account, key }, it.id, it.reason)),
    }),
  }
}

const external = (title: string, connection: ConnectionKind): Trigger => ({
  title,
  kind: 'external',
  connection,
  input: fields({}),
})

export const calendarA: Piece = {
  names: ['calendar-a', 'cal-com'],
  triggers: {
    booking_created: external('Appointment booked', 'calendar-a'),
    booking_rescheduled: external('Appointment moved', 'calendar-a'),
    booking_cancelled: external('Appointment cancelled', 'calendar-a'),
  },
  // No required connection: without one, the calendar of the assistant is used.
  actions: appointmentActions({ port: (it) => it.calendarA, hasSideEffects: true }),
}

export const calendarB: Piece = {
  names: ['calendar-b', 'calendly'],
  triggers: {
    invitee_created: external('Appointment booked', 'calendar-b'),
    invitee_canceled: external('Appointment cancelled', 'calendar-b'),
  },
  actions: appointmentActions({ port: (it) => it.calendarB, hasSideEffects: true }),
}

const contactFields = {
  name: optionalText.describe('Name of the contact'),
  email: optionalText.describe('Email address of the contact; finds an existing one'),
  phone: optionalText.describe('Phone number of the contact; finds an existing one'),
}
const tags = z.preprocess(
  (it) => (typeof it === 'string' ? it.split(',').map((one) => one.trim()) : (it ?? [])),
  z.array(z.string()),
)
const customFields = z.preprocess((it) => (isObject(it) ? it : {}), z.record(z.string(), z.unknown()))

const findContact = action({
  title: 'Find a contact',
  connection: 'crm-b',
  input: fields(contactFields),
  run: async ({ email, phone }, { account, ports }) => {
    const contact =
      email === undefined && phone === undefined ? null : await ports.crmB.findContact(account, { email, phone })
    return done({ found: contact !== null, contact })
  },
})

const saveContact = action({
  title: 'Create or update a contact',
  changesExternalData: true,
  connection: 'crm-b',
  input: fields({
    ...contactFields,
    tags: tags.describe('Tags to add: a list, or a text with commas between them'),
    customFields: customFields.describe('Values of custom fields by name'),
  }),
  run: async ({ name, email, phone, tags, customFields: custom }, { account, key, ports }) =>
    done(
      await ports.crmB.saveContact(
        { account, key },
        {
          ...(name !== undefined && { name }),
          ...(email !== undefined && { email }),
          ...(phone !== undefined && { phone }),
          tags,
          fields: custom,
        },
      ),
    ),
})

const addNote = action({
  title: 'Add a note to a contact',
  changesExternalData: true,
  connection: 'crm-b',
  input: fields({ id: text.describe('Id of the contact'), note: text.describe('Text of the note') }),
  run: async ({ id, note }, { account, key, ports }) => done(await ports.crmB.addNote({ account, key }, id, note)),
})

export const crmB: Piece = {
  names: ['crm-b', 'lead-connector'],
  triggers: {
    new_contact: external('New contact', 'crm-b'),
    appointment_created: external('Appointment booked', 'crm-b'),
  },
  actions: {
    ...appointmentActions({ port: (it) => it.crmB, hasSideEffects: false, connection: 'crm-b' }),
    find_contact: findContact,
    create_contact: saveContact,
    update_contact: saveContact,
    add_note_to_contact: addNote,
  },
}
