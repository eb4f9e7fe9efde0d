import type { Appointment, CalendarPort } from '../../automation/ports.ts'
import type { BuiltInTool } from '../../contract/assistant-tools.ts'
import type { TurnFunction } from '../ports.ts'
import { toJsonSchema, typedArguments } from './parameters.ts'
import { failed, type Result } from './results.ts'

type Calendar = Extract<BuiltInTool, { type: 'calendar_integration' }>

export interface CalendarContext {
  readonly account: number
  readonly timezone: string
  readonly calendars: Pick<Readonly<Record<'calendarA' | 'calendarB', CalendarPort>>, 'calendarA' | 'calendarB'>
  /** Makes the key of an act of this turn: the same for the same act. */
  readonly key: (about: string) => string
  readonly customerPhone: string | null
}

const own = (name: string, description: string, required = true) => ({ name, type: 'string', description, required })

const moment = 'date and time with its zone, ISO 8601, such as 2026-01-31T09:00:00+01:00'

/** What an assistant can do in a calendar: look, book, move, cancel; through whoever provides it. */
export function calendarFunctions(tool: Calendar, { account, timezone, calendars, key, customerPhone }: CalendarContext): TurnFunction[] {
  const calendar = tool.calendar_type === 'cal_b' ? calendars.calendarB : calendars.calendarA
  const event = tool.calendar_type === 'cal_b' ? tool.cal_b_event_type_uri : tool.cal_a_event_slug
  const about = tool.description === undefined ? '' : ` ${tool.description}`
  const booking = tool.calendar_type === 'cal_b' ? [] : (tool.cal_a_booking_fields ?? [])
  const act = (args: object, what: string) => ({ account, key: key(`${what} ${JSON.stringify(args)}`) })
  const make = (
    name: string,
    description: string,
    parameters: ReturnType<typeof own>[],
    run: (args: Record<string, string>) => Promise<Result>,
  ): TurnFunction => ({
    name,
    description: `${description}${about}`,
    parameters: toJsonSchema(parameters),
    async run(given) {
      try {
        return await run(typedArguments(parameters, given) as Record<string, string>)
      } catch (error) {
        return failed(error)
      }
    },
  })
  return [
    make(
      'calendar_find_appointments',
      'Tell which appointments are booked in a span of time, to find a free time or an appointment somebody has.',
      [
        own('from', `Begin of the span: ${moment}`),
        own('until', `End of the span: ${moment}`),
        own('email', 'Email address of the customer, to find only theirs', false),
      ],
      async ({ from = '', until = '', email }) => {
        const span = { from: instant('from', from), until: instant('until', until) }
        const found = await calendar.find(account, { ...span, ...(email !== undefined && { email }) })
        // What others have booked is nobody's business but that the time is taken.
        return { appointments: found.map((it) => (email === undefined ? { start: it.start, end: it.end } : shown(it))) }
      },
    ),
    make(
      'calendar_book_appointment',
      'Book an appointment once the customer has agreed to a day and a time.',
      [
        own('start', `Begin of the appointment: ${moment}`),
        own('name', 'Name of the customer'),
        own('email', 'Email address of the customer', false),
        own('phone', 'Phone number of the customer', false),
        ...booking.filter(({ slug }) => !['start', 'name', 'email', 'phone'].includes(slug)).map((it) => own(identifier(it.slug), labelOf(it), it.required)),
      ],
      async ({ start = '', name = '', email, phone = customerPhone ?? undefined, ...rest }) => {
        const notes = Object.entries(rest).map(([field, value]) => `${field}: ${value}`)
        const draft = { event, start: instant('start', start), timezone, name, email, phone, ...(notes.length > 0 && { notes: notes.join('\n') }) }
        return shown(await calendar.book(act(draft, 'book'), draft))
      },
    ),
    make(
      'calendar_move_appointment',
      'Move an appointment that is booked to another time.',
      [own('id', 'Id of the appointment'), own('start', `New begin: ${moment}`)],
      async ({ id = '', start = '' }) => shown(await calendar.move(act({ id, start }, 'move'), id, instant('start', start), timezone)),
    ),
    make(
      'calendar_cancel_appointment',
      'Cancel an appointment that is booked.',
      [own('id', 'Id of the appointment'), own('reason', 'Why it is cancelled', false)],
      async ({ id = '', reason = '' }) => shown(await calendar.cancel(act({ id }, 'cancel'), id, reason)),
    ),
  ]
}

/** Names of fields are the calendar's; a model takes letters, digits and underscores. */
const identifier = (slug: string): string => slug.replaceAll(/\W/g, '_').slice(0, 64)

const labelOf = ({ label, options }: { readonly label: string; readonly options?: readonly string[] | undefined }): string =>
  options && options.length > 0 ? `${label}: one of ${options.join(', ')}` : label

/** @throws Error in words for the model */
function instant(name: string, text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || !/(Z|[+-]\d\d:?\d\d)$/i.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error(`The parameter ${name} must be a ${moment}.`)
  return text
}

const shown = ({ id, title, start, end, status, name }: Appointment): Result => ({ id, title, start, end, status, name })
