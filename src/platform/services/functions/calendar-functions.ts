import type { BuiltInTool } from '../../../contract/assistants/built-in-tools.ts'
import { functionNames } from '../../../contract/assistants/function-names.ts'
import type { CalendarPort } from '../../../engine/pieces/ports.ts'
import type { Appointment } from '../../../engine/ports/integrations.ts'
import type { ModelFunction } from '../../../engine/ports/language-model.ts'
import { parseArguments, toJsonSchema } from '../../../engine/tools/function-parameters.ts'
import { type FunctionResult, toErrorResult } from '../../../engine/tools/function-results.ts'
import { stringifyJson } from '../../../node/json.ts'

type Calendar = Extract<BuiltInTool, { type: 'calendar_integration' }>

/** What calendar functions are created from. */
export interface CalendarContext {
  readonly account: number
  readonly timezone: string
  readonly calendars: Pick<Readonly<Record<'calendarA' | 'calendarB', CalendarPort>>, 'calendarA' | 'calendarB'>
  /** Returns the idempotency key of an action in this turn. It is the same for the same action. */
  readonly key: (about: string) => string
  readonly customerPhone: string | null
}

const textParameter = (name: string, description: string, required = true) => ({
  name,
  type: 'string',
  description,
  required,
})

const dateTimeFormat = 'ISO 8601 date and time with time zone, such as 2026-01-31T09:00:00+01:00'

/** Returns the functions with which an assistant finds, books, moves and cancels appointments of a calendar. */
export function calendarFunctions(
  tool: Calendar,
  { account, timezone, calendars, key, customerPhone }: CalendarContext,
): ModelFunction[] {
  const calendar = tool.calendar_type === 'cal_b' ? calendars.calendarB : calendars.calendarA
  const event = tool.calendar_type === 'cal_b' ? tool.cal_b_event_type_uri : tool.cal_a_event_slug
  const about = tool.description === undefined ? '' : ` ${tool.description}`
  const booking = tool.calendar_type === 'cal_b' ? [] : (tool.cal_a_booking_fields ?? [])
  const toAction = (args: object, what: string) => ({ account, key: key(`${what} ${stringifyJson(args)}`) })
  const createFunction = (
    name: string,
    description: string,
    parameters: ReturnType<typeof textParameter>[],
    run: (args: Record<string, string>) => Promise<FunctionResult>,
  ): ModelFunction => ({
    name,
    description: `${description}${about}`,
    parameters: toJsonSchema(parameters),
    async run(given) {
      try {
        return await run(parseArguments(parameters, given) as Record<string, string>)
      } catch (error) {
        return toErrorResult(error)
      }
    },
  })
  return [
    createFunction(
      `${functionNames.calendar}find_appointments`,
      'List the appointments in a period, to find a free time or the appointment of a customer.',
      [
        textParameter('from', `Start of the period: ${dateTimeFormat}`),
        textParameter('until', `End of the period: ${dateTimeFormat}`),
        textParameter('email', 'Email address of the customer, to list only their appointments', false),
      ],
      async ({ from = '', until = '', email }) => {
        const span = { from: parseDateTime('from', from), until: parseDateTime('until', until) }
        const found = await calendar.find(account, { ...span, ...(email !== undefined && { email }) })
        // Without the customer's email address only the times are returned, because other customers' appointments are
        // private.
        return {
          appointments: found.map((appointment) =>
            email === undefined ? { start: appointment.start, end: appointment.end } : toAppointmentResult(appointment),
          ),
        }
      },
    ),
    createFunction(
      `${functionNames.calendar}book_appointment`,
      'Book an appointment once the customer has agreed to a day and a time.',
      [
        textParameter('start', `Start of the appointment: ${dateTimeFormat}`),
        textParameter('name', 'Name of the customer'),
        textParameter('email', 'Email address of the customer', false),
        textParameter('phone', 'Phone number of the customer', false),
        ...booking
          .filter(({ slug }) => !['start', 'name', 'email', 'phone'].includes(slug))
          .map((it) => textParameter(toIdentifier(it.slug), fieldLabel(it), it.required)),
      ],
      async ({ start = '', name = '', email, phone = customerPhone ?? undefined, ...rest }) => {
        const notes = Object.entries(rest).map(([field, value]) => `${field}: ${value}`)
        const draft = {
          event,
          start: parseDateTime('start', start),
          timezone,
          name,
          email,
          phone,
          ...(notes.length > 0 && { notes: notes.join('\n') }),
        }
        return toAppointmentResult(await calendar.book(toAction(draft, 'book'), draft))
      },
    ),
    createFunction(
      `${functionNames.calendar}move_appointment`,
      'Move a booked appointment to another time.',
      [textParameter('id', 'Id of the appointment'), textParameter('start', `New start: ${dateTimeFormat}`)],
      async ({ id = '', start = '' }) =>
        toAppointmentResult(
          await calendar.move(toAction({ id, start }, 'move'), id, parseDateTime('start', start), timezone),
        ),
    ),
    createFunction(
      `${functionNames.calendar}cancel_appointment`,
      'Cancel a booked appointment.',
      [textParameter('id', 'Id of the appointment'), textParameter('reason', 'Why it is cancelled', false)],
      async ({ id = '', reason = '' }) =>
        toAppointmentResult(await calendar.cancel(toAction({ id }, 'cancel'), id, reason)),
    ),
  ]
}

/** Returns a field name of the calendar in the form that models accept: letters, digits and underscores. */
const toIdentifier = (slug: string): string => slug.replaceAll(/\W/g, '_').slice(0, 64)

const fieldLabel = ({
  label,
  options,
}: {
  readonly label: string
  readonly options?: readonly string[] | undefined
}): string => (options && options.length > 0 ? `${label}: one of ${options.join(', ')}` : label)

/** Validates a date and time. @throws Error with a message for the model */
function parseDateTime(name: string, text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || !/(Z|[+-]\d\d:?\d\d)$/i.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error(`The parameter ${name} must be a ${dateTimeFormat}.`)
  return text
}

const toAppointmentResult = ({ id, title, start, end, status, name }: Appointment): FunctionResult => ({
  id,
  title,
  start,
  end,
  status,
  name,
})
