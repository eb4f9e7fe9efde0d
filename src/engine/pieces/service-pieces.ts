// Saved definitions have the names of these pieces, actions and fields: they are added, not renamed.

import * as z from '../../contract/schema/schema.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import type { JsonObject } from '../definition/node.ts'
import type { AppointmentQuery, SheetLocation, SheetRow } from '../ports.ts'
import { maxStored } from '../runs/step-limits.ts'
import { parseZonedMillis, zonedDateTime } from './date-format.ts'
import {
  anyText,
  anything,
  choice,
  fields,
  flag,
  id,
  map,
  moment,
  optionalText,
  text,
  texts,
  wholeNumber,
  zone,
} from './input-fields.ts'
import { action, done, type Piece, type Trigger } from './piece.ts'
import type { AutomationPorts, CalendarPort, ConnectionKind, StoreScope } from './ports.ts'
import { respond, respondToCall } from './respond.ts'
import type { StepContext } from './step-context.ts'
import { StepFailure } from './step-failure.ts'

const key = z
  .preprocess(
    (it) => (typeof it === 'number' || typeof it === 'bigint' ? String(it) : it),
    z.string().min(1).max(maxStored.key),
  )
  .describe('Name of the value; the same key of another scope is another value')
const scopeFields = {
  key,
  // COLLECTION means all automations of the account; the name comes from the editors.
  store_scope: choice(['COLLECTION', 'FLOW', 'RUN'], 'COLLECTION').describe(
    'Who shares it: all automations of the account, this automation, or this run',
  ),
}

function toScope({ account, automation, run }: StepContext, scope: 'COLLECTION' | 'FLOW' | 'RUN'): StoreScope {
  if (scope === 'FLOW') return { account, owner: { kind: 'automation', id: automation } }
  return { account, owner: scope === 'RUN' ? { kind: 'run', id: run } : { kind: 'account' } }
}

function requireAllowedSize<T>(value: T): T {
  if (Buffer.byteLength(stringifyJson(value) ?? '') > maxStored.bytes)
    throw new StepFailure('A stored value can be at most 512 KB.')
  return value
}

/** Returns an action that changes one stored value. */
const changeAction = <S extends z.ZodRawShape>(
  title: string,
  example: JsonObject,
  shape: S,
  change: (value: unknown, input: Record<string, unknown>) => unknown,
) =>
  action({
    title,
    example,
    input: fields({ ...scopeFields, ...shape }),
    run: async (given, context) => {
      const scoped = given as Record<string, unknown> & { key: string; store_scope: 'COLLECTION' | 'FLOW' | 'RUN' }
      const act = { account: context.account, key: context.key }
      return done(
        await context.ports.store.change(act, toScope(context, scoped.store_scope), scoped.key, (value) =>
          requireAllowedSize(change(value, scoped)),
        ),
      )
    },
  })

/** Returns a stored list. A value that is not a list becomes its first item. */
function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null || value === '' ? [] : [value]
}

const isEqualTo = (item: unknown): ((value: unknown) => boolean) => {
  const text = stringifyJson(item)
  return (it) => stringifyJson(it) === text
}

const get = action({
  title: 'Read a stored value',
  example: { key: 'last_order', store_scope: 'FLOW', defaultValue: 0 },
  input: fields({ ...scopeFields, defaultValue: anything.describe('Output while nothing is stored (default: null)') }),
  run: async (input, context) =>
    done((await context.ports.store.get(toScope(context, input.store_scope), input.key)) ?? input.defaultValue ?? null),
})

/** Piece that stores values between runs. */
export const store: Piece = {
  names: ['store'],
  triggers: {},
  actions: {
    get,
    put: changeAction(
      'Store a value',
      { key: 'last_order', store_scope: 'FLOW', value: 42 },
      { value: anything.describe('Value to store, at most 512 KB of JSON') },
      (_, { value }) => value ?? null,
    ),
    append: changeAction(
      'Append to a stored text',
      { key: 'log', value: 'started', separator: '\\n' },
      {
        value: anything.describe('Text to add at the end'),
        separator: z.string().optional().describe('Text before what is added; \\n is a new line (default: none)'),
      },
      (value, input) => {
        const before = value === undefined || value === null ? [] : [asText(value)]
        return [...before, asText(input.value)].join(
          typeof input.separator === 'string' ? input.separator.replaceAll('\\n', '\n') : '',
        )
      },
    ),
    add_to_list: changeAction(
      'Add to a stored list',
      { key: 'seen', value: '{{trigger.body.name}}', ignore_if_exists: true },
      {
        value: anything.describe('Item to add at the end'),
        ignore_if_exists: flag.describe('Whether an item that the list has is not added again'),
      },
      (value, input) => {
        const list = toList(value)
        return input.ignore_if_exists && list.some(isEqualTo(input.value)) ? list : [...list, input.value ?? null]
      },
    ),
    remove_from_list: changeAction(
      'Remove from a stored list',
      { key: 'seen', value: '{{trigger.body.name}}' },
      { value: anything.describe('Item to remove, each time it occurs') },
      (value, input) => {
        const isIt = isEqualTo(input.value)
        return toList(value).filter((item) => !isIt(item))
      },
    ),
    remove_value: changeAction(
      'Remove a stored value',
      { key: 'last_order', store_scope: 'FLOW' },
      {},
      () => undefined,
    ),
  },
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : stringifyJson(value)

/** Both spellings, because newer editors use camel case. */
const locationFields = {
  spreadsheet_id: optionalText.describe('Name or id of the spreadsheet; required'),
  spreadsheetId: optionalText.describe('Another name of spreadsheet_id'),
  sheet_id: optionalText.describe('Name of the sheet (default: the first)'),
  sheetId: optionalText.describe('Another name of sheet_id'),
}
const rowNumber = wholeNumber(0, 1, 10_000_000)
/** Both spellings of the row to change. */
const rowFields = {
  row_id: rowNumber.optional().describe('Number of the row; required. The row of headings is 1'),
  rowId: rowNumber.optional().describe('Another name of row_id'),
}
const cells = anything.describe('Cells by heading or column letter, a list of cells from column A, or its JSON as text')

interface LocationInput {
  readonly spreadsheet_id?: string | undefined
  readonly spreadsheetId?: string | undefined
  readonly sheet_id?: string | undefined
  readonly sheetId?: string | undefined
}

function parseLocation(input: LocationInput): SheetLocation {
  const spreadsheet = input.spreadsheet_id ?? input.spreadsheetId
  if (spreadsheet === undefined) throw new StepFailure('spreadsheet_id is required.')
  return { spreadsheet, sheet: input.sheet_id ?? input.sheetId }
}

/** Returns cells by header or column letter. A list fills the columns from A. */
function toCells(values: unknown): Record<string, string> {
  const given = typeof values === 'string' ? parsed(values) : values
  if (Array.isArray(given))
    return Object.fromEntries(given.map((it, location) => [columnLetter(location), anyText.parse(it)]))
  if (!isObject(given))
    throw new StepFailure('values must be an object with a cell for each column, or a list of cells.')
  return Object.fromEntries(Object.entries(given).map(([name, cell]) => [name, anyText.parse(cell)]))
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Returns the letters of a column index: 0 is A, 26 is AA. */
function columnLetter(column: number): string {
  let letters = ''
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26))
    letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters
}

const toOutput = (row: SheetRow) => ({ row: row.number, values: row.values })

const insertRow = action({
  title: 'Add a row to a spreadsheet',
  example: { spreadsheet_id: 'contacts', values: { Name: 'Ada', Phone: '+14155550142' } },
  changesExternalData: true,
  input: fields({ ...locationFields, values: cells }),
  connection: 'spreadsheet',
  run: async (input, { account, key, ports }) =>
    done(toOutput(await ports.sheets.append({ account, key }, parseLocation(input), toCells(input.values)))),
})

const updateRow = action({
  title: 'Update a row of a spreadsheet',
  example: { spreadsheet_id: 'contacts', row_id: 2, values: { Name: 'Ada King' } },
  changesExternalData: true,
  input: fields({ ...locationFields, ...rowFields, values: cells }),
  connection: 'spreadsheet',
  run: async (input, { account, key, ports }) => {
    const row = input.row_id ?? input.rowId
    if (!row) throw new StepFailure('row_id is required.')
    return done(toOutput(await ports.sheets.update({ account, key }, parseLocation(input), row, toCells(input.values))))
  },
})

const deleteRow = action({
  title: 'Delete a row of a spreadsheet',
  example: { spreadsheet_id: 'contacts', row_id: 2 },
  changesExternalData: true,
  input: fields({ ...locationFields, ...rowFields }),
  connection: 'spreadsheet',
  run: async (input, { account, key, ports }) => {
    const row = input.row_id ?? input.rowId
    if (!row) throw new StepFailure('row_id is required.')
    await ports.sheets.remove({ account, key }, parseLocation(input), row)
    return done({ row, success: true })
  },
})

const pageSize = 1000

/** Fails for a missing column: its rows would seem empty, and readers that resume from the last row would skip them. */
function requireColumn(rows: readonly SheetRow[], column: string): void {
  const [first] = rows
  if (!first || rows.some((it) => Object.hasOwn(it.values, column))) return
  throw new StepFailure(
    `The spreadsheet has no column ${column}. Its columns are ${Object.keys(first.values).join(', ')}.`,
    {
      classification: 'missing_record',
    },
  )
}

const findRows = action({
  title: 'Find rows of a spreadsheet',
  example: { spreadsheet_id: 'contacts', columnName: 'Name', searchValue: 'Ada', numberOfRows: 5 },
  input: fields({
    ...locationFields,
    columnName: text.describe('Heading of the column to search'),
    searchValue: anyText.describe('Text that a cell must have; empty finds every row'),
    matchCase: flag.describe('Whether upper and lower case differ'),
    startingRow: wholeNumber(1, 1, 10_000_000).describe('Number of the first row to search'),
    numberOfRows: wholeNumber(1, 1, 1000).describe('Maximum number of rows to return'),
  }),
  connection: 'spreadsheet',
  run: async (input, { account, ports, signal }) => {
    const location = parseLocation(input)
    const fold = (value: string): string => (input.matchCase ? value : value.toLowerCase())
    const wanted = fold(input.searchValue)
    const found: SheetRow[] = []
    for (let after = input.startingRow - 1; found.length < input.numberOfRows; ) {
      signal.throwIfAborted()
      const page = await ports.sheets.rows(account, location, after, pageSize)
      requireColumn(page, input.columnName)
      found.push(...page.filter((row) => wanted === '' || fold(row.values[input.columnName] ?? '') === wanted))
      const last = page.at(-1)
      if (!last || page.length < pageSize) break
      after = last.number
    }
    return done(found.slice(0, input.numberOfRows).map(toOutput))
  },
})

const newRow = {
  title: 'New row in a spreadsheet',
  example: { spreadsheet_id: 'contacts' },
  kind: 'external',
  input: fields({ ...locationFields }),
  connection: 'spreadsheet',
} as const

export const spreadsheet: Piece = {
  names: ['spreadsheet', 'google-sheets'],
  triggers: {
    new_row_added: newRow,
    googlesheets_new_row_added: { ...newRow, example: { spreadsheetId: 'contacts' } },
  },
  actions: { insert_row: insertRow, update_row: updateRow, delete_row: deleteRow, find_rows: findRows },
}

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
      example: { email: 'ada@example.com', from: '2030-01-01', limit: 5 },
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
      example: {
        event: 'consultation',
        start: '2030-01-31 09:00',
        timezone: 'Europe/Paris',
        name: 'Ada King',
        email: 'ada@example.com',
      },
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
      example: { id: 'b_1', start: '2030-02-01 10:00', timezone: 'Europe/Paris' },
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
      example: { id: 'b_1', reason: 'Asked by phone' },
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
  example: {},
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
  example: { email: 'ada@example.com' },
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
  example: { name: 'Ada King', phone: '+14155550142', tags: ['new'], customFields: { source: 'call' } },
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
  example: { id: 'c_1', note: 'Called back' },
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
    update_contact: { ...saveContact, example: { email: 'ada@example.com', tags: ['customer'] } },
    add_note_to_contact: addNote,
  },
}

const optionalId = z.preprocess((it) => (it === '' || it === null ? undefined : it), id.optional())

const recipientMeaning = 'Number of the recipient, E.164'
const variablesMeaning = 'Values of variables by name'
const senderMeaning = 'Id of the messaging sender'

const sendSms = action({
  title: 'Send an SMS',
  example: { from: 4, to: '+14155550142', body: 'Your table is ready.' },
  hasSideEffects: true,
  resource: 'sms',
  input: fields({
    from: id.describe('Id of the number that sends'),
    to: text.describe(recipientMeaning),
    body: text.describe('Text of the SMS'),
  }),
  run: async ({ from, to, body }, { account, key, ports }) =>
    done(await ports.sms.send({ account, key }, { from, to, body })),
})

const template = z.preprocess(
  (it) => (typeof it === 'string' && /^\d+$/.test(it.trim()) ? Number(it) : it),
  z.union([z.int().positive(), z.string().min(1)]),
)

const sendTemplate = action({
  title: 'Send a message template',
  example: {
    sender: 1,
    template: 'appointment_reminder',
    to: '+14155550142',
    variables: { first_name: 'Ada', appointment_time: '9 am' },
  },
  hasSideEffects: true,
  resource: 'messaging',
  input: fields({
    sender: id.describe(senderMeaning),
    template: template.describe('Id or name of the template'),
    to: text.describe(recipientMeaning),
    variables: texts.describe('Values of placeholders by name or number'),
  }),
  run: async (input, { account, key, ports }) => {
    const { sender, template, to, variables } = input
    return done(await ports.messaging.sendTemplate({ account, key }, { sender, template, to, variables }))
  },
})

const sendMessage = action({
  title: 'Send a message',
  example: { sender: 1, to: '+14155550142', body: 'We are open until 6 pm.' },
  hasSideEffects: true,
  resource: 'messaging',
  input: fields({
    sender: id.describe(senderMeaning),
    to: text.describe(recipientMeaning),
    body: text.describe('Text of the message; requires an open 24-hour window'),
  }),
  run: async ({ sender, to, body }, { account, key, ports }) =>
    done(await ports.messaging.sendText({ account, key }, { sender, to, body })),
})

const makePhoneCall = action({
  title: 'Start a call',
  example: { assistant: 2, phone_number: '+14155550142', variables: { first_name: 'Ada' } },
  hasSideEffects: true,
  resource: 'calls',
  input: fields({
    assistant: id.describe('Id of the assistant that calls'),
    phone_number: text.describe('Number to call, E.164'),
    variables: map.describe(variablesMeaning),
  }),
  run: async ({ assistant, phone_number: phone, variables }, { account, key, ports }) =>
    done(await ports.calls.start({ account, key }, { assistant, phone, variables })),
})

const secondary = z.preprocess(
  (it) => (it === undefined || it === null || it === '' ? [] : it),
  z.array(z.looseObject({ phone_number: text, variables: map })),
)

const addLead = action({
  title: 'Add a lead to a campaign',
  example: { campaign: 1, phone_number: '+14155550142', variables: { first_name: 'Ada' } },
  hasSideEffects: true,
  resource: 'leads',
  input: fields({
    campaign: id.describe('Id of the campaign'),
    phone_number: text.describe('Number of the lead, E.164'),
    variables: map.describe(variablesMeaning),
    allow_dupplicate: flag.describe(
      'Whether a number that the campaign already has is added again (the platform spells the name so)',
    ),
    secondary_contacts: secondary.describe('Other contacts of the lead: objects with phone_number and variables'),
  }),
  run: async (input, { account, key, ports, testing }) => {
    const draft = {
      campaign: input.campaign,
      phone: input.phone_number,
      variables: input.variables,
      // Tests use the same sample every time.
      allowDuplicate: input.allow_dupplicate || testing,
      secondary: input.secondary_contacts.map(({ phone_number: phone, variables }) => ({ phone, variables })),
    }
    return done(await ports.leads.add({ account, key }, draft))
  },
})

const requeueLead = action({
  title: 'Requeue a lead',
  example: { campaign: 1, phone_number: '+14155550142' },
  hasSideEffects: true,
  resource: 'leads',
  input: fields({
    lead: optionalId.describe('Id of the lead; or pass campaign and phone_number'),
    campaign: optionalId.describe('Id of the campaign, without lead'),
    phone_number: anyText.describe('Number of the lead, without lead'),
    variables: map.describe(variablesMeaning),
  }),
  run: async ({ lead, campaign, phone_number: phone, variables }, { account, key, ports }) => {
    if (lead === undefined && (campaign === undefined || phone === ''))
      throw new StepFailure('Pass lead, or campaign and phone_number.')
    return done(
      await ports.leads.requeue(
        { account, key },
        lead === undefined ? { campaign: campaign as number, phone } : { id: lead },
        variables,
      ),
    )
  },
})

const deleteLead = action({
  title: 'Delete a lead',
  example: { lead: 1 },
  hasSideEffects: true,
  resource: 'leads',
  input: fields({ lead: id.describe('Id of the lead') }),
  run: async ({ lead }, { account, key, ports }) => {
    await ports.leads.remove({ account, key }, lead)
    return done({ id: lead, deleted: true })
  },
})

const event = (title: string, binding: NonNullable<Trigger['binding']>): Trigger => ({
  title,
  example: { assistant: 1 },
  kind: 'event',
  binding,
  // The assistant may also be named outside the definition; that is checked there.
  input: fields({ assistant: anything.describe('Id of the assistant whose events start runs') }),
})

/** Actions of the platform, and the events of assistants. */
export const platform: Piece = {
  names: ['platform', 'voice'],
  triggers: {
    phoneCallEnded: event('Phone call ended', 'post_call'),
    inboundCall: event('Inbound call', 'inbound'),
    newConversation: event('New conversation', 'conversation'),
  },
  actions: {
    sendSms,
    sendTemplate,
    sendMessage,
    makePhoneCall,
    addLead,
    requeueLead,
    deleteLead,
    respondToCall,
    return_response: { ...respond, example: { fields: { status: 200, body: { received: true } } } },
  },
}
