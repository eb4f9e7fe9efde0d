// The templates of automations, as data. Ids and names of parameters are part of the API; the text in them is shown to users.

import * as check from './param-checks.ts'
import { placeholders } from './param-values.ts'
import type { Param, Template, Values } from './template.ts'
import {
  bookingTrigger,
  branchStep,
  callEndedTrigger,
  codeStep,
  equalsText,
  everyDayTrigger,
  everyMinutesTrigger,
  exists,
  extractedVariable,
  inboundCallTrigger,
  isAffirmative,
  isTrue,
  loopStep,
  pieceStep,
  respondStep,
  sampleNumber,
  triggerField,
  webhookTrigger,
} from './template-nodes.ts'

/** Parameters of templates that send a message template: its sender and its id or name. */
const messageParams: readonly Param[] = [
  {
    key: 'sender_id',
    label: 'Sender',
    description: 'Id of the messaging sender',
    required: true,
    example: '1',
    check: check.id,
  },
  {
    key: 'messaging_template',
    label: 'Template',
    description: 'Id or name of the approved template',
    required: true,
    example: 'opening_hours',
  },
]

const now = '{{new Date().toISOString()}}'
const requestField = (name: string): string => triggerField('body', name)

const callBeforeAppointment: Template = {
  key: 'calendar-a-call-before-appointment',
  name: 'Call before an appointment',
  description:
    'Calls customers some hours before their appointment, unless it was cancelled. If the appointment was moved, calls before the new time.',
  use_when: 'Customers forget their appointments.',
  binding: null,
  connections: ['calendar-a'],
  sends: true,
  params: [
    {
      key: 'assistant_id',
      label: 'Assistant',
      description: 'Id of the assistant that makes the call',
      required: true,
      example: '2',
      check: check.id,
    },
    {
      key: 'hours_before',
      label: 'Hours before',
      description: 'Hours before the appointment. Calls immediately if the appointment is booked later than that',
      default: '24',
      check: check.hours,
    },
    {
      key: 'phone_expression',
      label: 'Phone number',
      description: 'Field of the appointment that contains the phone number',
      default: triggerField('phone'),
    },
  ],
  flow: ({ assistant_id: assistant, hours_before: hours, phone_expression: phone }) => {
    const before = (start: string): string =>
      `{{new Date(Date.parse(${start}) - ${Number(hours)} * 3600000).toISOString()}}`
    const findBooking = (name: string): object =>
      pieceStep(name, 'Find it again', 'calendar-a', 'find_bookings', { id: triggerField('id') })
    return {
      trigger: bookingTrigger,
      steps: [
        pieceStep('step_1', 'Wait', 'delay', 'delay_until', { delayUntilTimestamp: before("trigger['start']") }),
        findBooking('step_2'),
        pieceStep('step_3', 'Wait if it was moved', 'delay', 'delay_until', {
          delayUntilTimestamp: before("step_2['booking']['start']"),
        }),
        findBooking('step_4'),
        branchStep('step_5', 'Still booked?', equalsText("{{step_4['booking']['status']}}", 'booked'), [
          pieceStep('step_6', 'Call', 'platform', 'makePhoneCall', {
            assistant: Number(assistant),
            phone_number: phone,
            variables: {
              name: triggerField('name'),
              appointment: triggerField('title'),
              appointment_time: "{{step_4['booking']['start']}}",
            },
          }),
        ]),
      ],
    }
  },
}

const notFoundAnswer = { done: false, message: 'No appointment was found.' }

const cancelOrReschedule: Template = {
  key: 'calendar-a-cancel-reschedule-midcall',
  name: 'Cancel or move an appointment during a call',
  description:
    'Finds the next appointment of an email address, cancels or moves it, and returns the result. The assistant passes action (cancel, reschedule or find), email, and start and timezone to move it. Add it to the assistant as a tool.',
  use_when: 'Callers want to cancel or move their appointments.',
  gives:
    'action (cancel, reschedule or find), email (unless attendee_email is fixed), start and timezone (to move), reason (to cancel)',
  binding: null,
  connections: [],
  sends: true,
  params: [
    {
      key: 'attendee_email',
      label: 'Email address',
      description: 'Email address the appointment was booked with, or the field of the request that contains it',
      required: true,
      example: "{{trigger['body']['email']}}",
      check: check.mail,
    },
  ],
  flow: ({ attendee_email: email }) => {
    const id = "{{step_1['booking']['id']}}"
    return {
      trigger: webhookTrigger('The assistant asks: action cancel, reschedule or find'),
      steps: [
        pieceStep('step_1', 'Find the appointment', 'calendar-a', 'find_bookings', { email, from: now, limit: 1 }),
        branchStep(
          'step_2',
          'Is there one?',
          // Without an email address, the search would match every appointment.
          [
            ...isTrue("{{step_1['found']}}"),
            ...exists(email),
            ...equalsText("{{step_1['booking']['email']}}", email ?? ''),
          ],
          [
            branchStep('step_3', 'Cancel?', equalsText(requestField('action'), 'cancel'), [
              pieceStep('step_4', 'Cancel it', 'calendar-a', 'cancel_booking', { id, reason: requestField('reason') }),
              respondStep('step_5', {
                done: true,
                message: 'The appointment is cancelled.',
                start: "{{step_4['start']}}",
              }),
            ]),
            branchStep('step_6', 'Move?', equalsText(requestField('action'), 'reschedule'), [
              pieceStep('step_7', 'Move it', 'calendar-a', 'reschedule_booking', {
                id,
                start: requestField('start'),
                timezone: requestField('timezone'),
              }),
              respondStep('step_8', { done: true, message: 'The appointment is moved.', start: "{{step_7['start']}}" }),
            ]),
            respondStep('step_9', {
              done: false,
              message: 'The appointment was found.',
              start: "{{step_1['booking']['start']}}",
            }),
          ],
          [respondStep('step_10', notFoundAnswer)],
        ),
      ],
    }
  },
  sample: () => ({ action: 'find', email: 'sample@northwind.example' }),
}

const crmAppointments: Template = {
  key: 'crm-b-appointment-manage-midcall',
  name: 'Appointments in a CRM during a call',
  description:
    'Finds, books, moves or cancels an appointment of a caller in the CRM, saves the caller as a contact, and returns the result. The assistant passes action (find, book, move or cancel) and phone, also name, email, event and start to book, and start to move. Add it to the assistant as a tool.',
  use_when: 'Your appointments are in the CRM, and callers manage them by phone.',
  gives:
    'action (find, book, move or cancel), phone; to book also name, email, event and start; to move start; to cancel reason',
  binding: null,
  connections: ['crm-b'],
  sends: false,
  params: [
    {
      key: 'timezone',
      label: 'Time zone',
      description: 'Time zone of the times that callers say',
      default: 'UTC',
      example: 'America/Los_Angeles',
      check: check.zone,
    },
  ],
  flow: ({ timezone }) => {
    const [id, phone, email] = ["{{step_1['booking']['id']}}", requestField('phone'), requestField('email')]
    const name = "{{trigger['body']['name'] || trigger['body']['phone']}}"
    return {
      trigger: webhookTrigger('The assistant asks: action find, book, move or cancel'),
      steps: [
        pieceStep('step_1', 'Find the appointment', 'crm-b', 'find_bookings', { phone, from: now, limit: 1 }),
        branchStep('step_2', 'Book?', equalsText(requestField('action'), 'book'), [
          pieceStep('step_3', 'Save the contact', 'crm-b', 'create_contact', { name, phone, email }),
          pieceStep('step_4', 'Book it', 'crm-b', 'create_booking', {
            event: "{{trigger['body']['event'] || 'Appointment'}}",
            start: requestField('start'),
            timezone,
            name,
            phone,
            email,
          }),
          pieceStep('step_5', 'Add a note', 'crm-b', 'add_note_to_contact', {
            id: "{{step_3['id']}}",
            note: "Booked by phone for {{step_4['start']}}.",
          }),
          respondStep('step_6', { done: true, message: 'The appointment is booked.', start: "{{step_4['start']}}" }),
        ]),
        branchStep(
          'step_7',
          'Is there one?',
          // Without a phone number, the search would match every appointment.
          [...isTrue("{{step_1['found']}}"), ...exists(phone)],
          [
            branchStep('step_8', 'Cancel?', equalsText(requestField('action'), 'cancel'), [
              pieceStep('step_9', 'Cancel it', 'crm-b', 'cancel_booking', { id, reason: requestField('reason') }),
              respondStep('step_10', {
                done: true,
                message: 'The appointment is cancelled.',
                start: "{{step_9['start']}}",
              }),
            ]),
            branchStep('step_11', 'Move?', equalsText(requestField('action'), 'move'), [
              pieceStep('step_12', 'Move it', 'crm-b', 'reschedule_booking', {
                id,
                start: requestField('start'),
                timezone,
              }),
              respondStep('step_13', {
                done: true,
                message: 'The appointment is moved.',
                start: "{{step_12['start']}}",
              }),
            ]),
            respondStep('step_14', {
              done: false,
              message: 'The appointment was found.',
              start: "{{step_1['booking']['start']}}",
            }),
          ],
          [respondStep('step_15', notFoundAnswer)],
        ),
      ],
    }
  },
  sample: () => ({ action: 'find', phone: '+15005550111' }),
}

const campaign = { key: 'campaign_id', label: 'Campaign', required: true, example: '1', check: check.id } as const
const spreadsheet = { key: 'spreadsheet_id', label: 'Spreadsheet', required: true, example: 'leads' } as const
const phoneColumn = {
  key: 'phone_column',
  label: 'Phone column',
  description: 'Header of the column with phone numbers',
  default: 'Phone',
  check: check.column,
} as const
const nameColumn = { key: 'name_column', label: 'Name column', check: check.column } as const

const leadIntake: Template = {
  key: 'lead-intake-webhook',
  name: 'Leads from a web form',
  description:
    'Adds each lead posted to its URL to a campaign. `phone` is the phone number, and all other fields become variables.',
  use_when: 'A form, an ad or another system sends leads.',
  binding: null,
  connections: [],
  sends: true,
  params: [{ ...campaign, description: 'Id of the campaign leads are added to' }],
  flow: ({ campaign_id: to }) => ({
    trigger: webhookTrigger('A lead is posted'),
    steps: [
      pieceStep('step_1', 'Add the lead', 'platform', 'addLead', {
        campaign: Number(to),
        phone_number: "{{trigger['body']['phone'] || trigger['body']['phone_number']}}",
        variables: "{{trigger['body']}}",
      }),
      respondStep('step_2', { added: true, lead_id: "{{step_1['id']}}" }),
    ],
  }),
  sample: () => ({ phone: '+14155550111', name: 'Sample Person' }),
}

const cell = (column: string | undefined): string => `step_3['item']['values']['${column}']`

/**
 * Returns steps that process unread rows one at a time. The position is stored after each row, and a failed row does
 * not block the others.
 */
const newRows = (sheet: string | undefined, column: string | undefined, step: object): readonly object[] => [
  pieceStep('step_1', 'Last row', 'store', 'get', { key: 'row', store_scope: 'FLOW', defaultValue: 1 }),
  pieceStep('step_2', 'Read new rows', 'spreadsheet', 'find_rows', {
    spreadsheet_id: sheet,
    columnName: column,
    searchValue: '',
    startingRow: '{{Number(step_1) + 1}}',
    numberOfRows: 200,
  }),
  loopStep('step_3', 'Each row', '{{step_2}}', [
    step,
    pieceStep('step_5', 'Save the row', 'store', 'put', {
      key: 'row',
      value: "{{step_3['item']['row']}}",
      store_scope: 'FLOW',
    }),
  ]),
]

const rowsToCampaign: Template = {
  key: 'sheet-rows-to-campaign',
  name: 'Rows of a spreadsheet to a campaign',
  description:
    'Adds every row of a spreadsheet to a campaign, and new rows every few minutes; all columns become variables.',
  use_when: 'Leads are collected in a spreadsheet.',
  binding: null,
  connections: ['spreadsheet'],
  sends: true,
  params: [
    { ...spreadsheet, description: 'Id of the spreadsheet with the leads' },
    { ...campaign, description: 'Id of the campaign they are added to' },
    phoneColumn,
    { ...nameColumn, description: 'Header of the column with names, which become the variable name', default: 'Name' },
    { key: 'minutes', label: 'Minutes', description: 'Minutes between checks', default: '15', check: check.minutes },
  ],
  flow: ({ spreadsheet_id: sheet, campaign_id: to, phone_column: phone, name_column: name, minutes = '' }) => ({
    trigger: everyMinutesTrigger(minutes),
    steps: newRows(
      sheet,
      phone,
      pieceStep(
        'step_4',
        'Add the lead',
        'platform',
        'addLead',
        {
          campaign: Number(to),
          phone_number: `{{${cell(phone)}}}`,
          variables: `{{Object.fromEntries(Object.entries(step_3['item']['values']).concat([['name', ${cell(name)} || '']]))}}`,
        },
        { continueOnFailure: true },
      ),
    ),
  }),
}

const rowsToMessages: Template = {
  key: 'sheet-rows-to-messaging-daily',
  name: 'Daily template messages to rows of a spreadsheet',
  description: 'Sends a message template once to every row of a spreadsheet, new rows every day at one hour.',
  use_when: 'Contacts entered in a spreadsheet should get a message.',
  binding: null,
  connections: ['spreadsheet'],
  sends: true,
  params: [
    { ...spreadsheet, description: 'Id of the spreadsheet with the recipients' },
    ...messageParams,
    phoneColumn,
    {
      ...nameColumn,
      description:
        'Header of the column for the first placeholder; column_2, column_3 and so on name the columns of the others, column_<name> of a named one',
      example: 'Name',
      repeatPattern: /^column_[A-Za-z0-9_]{1,64}$/,
    },
    { key: 'hour', label: 'Hour', description: 'Hour of the day, 0 to 23', default: '9', check: check.hourOfDay },
    {
      key: 'timezone',
      label: 'Time zone',
      description: 'Time zone of that hour',
      default: 'UTC',
      example: 'Europe/Paris',
      check: check.zone,
    },
  ],
  flow: ({
    spreadsheet_id: sheet,
    sender_id: sender,
    messaging_template: template,
    phone_column: phone,
    name_column: name,
    hour = '',
    timezone = '',
    ...more
  }) => ({
    trigger: everyDayTrigger(hour, timezone),
    steps: newRows(
      sheet,
      phone,
      pieceStep(
        'step_4',
        'Send the template',
        'platform',
        'sendTemplate',
        {
          sender: Number(sender),
          template,
          to: `{{${cell(phone)}}}`,
          variables: {
            ...(name !== undefined && { 1: `{{${cell(name)}}}` }),
            ...placeholders(more, 'column_', (it) => `{{${cell(it)}}}`),
          },
        },
        { continueOnFailure: true },
      ),
    ),
  }),
}

const lookupUrl = {
  key: 'lookup_url',
  label: 'Address',
  required: true,
  example: 'https://crm.example/people',
  check: check.address,
} as const

/** Expressions for the phone number, by the format that the external service expects. */
const phoneFormats: Readonly<Record<string, string>> = {
  e164: triggerField('customer_phone'),
  digits: "{{String(trigger['customer_phone']).replace(/[^0-9]/g, '')}}",
  last_10: "{{String(trigger['customer_phone']).replace(/[^0-9]/g, '').slice(-10)}}",
}

const flattenCode = `export const code = async ({ body }) => {
  const about = body && typeof body.data === 'object' && body.data ? body.data : body
  const entries = about && typeof about === 'object' && !Array.isArray(about) ? Object.entries(about) : []
  return Object.fromEntries(entries.filter(([, it]) => it !== null && typeof it !== 'object').map(([name, it]) => [name, String(it)]))
}`

const callerLookup: Template = {
  key: 'inbound-caller-lookup-http',
  name: 'Look the caller up',
  description:
    'Requests data about the caller from your URL before the assistant answers, and passes it to the assistant as variables.',
  use_when: 'The assistant greets callers by name, or knows what they bought.',
  binding: 'inbound',
  connections: [],
  sends: false,
  params: [
    {
      ...lookupUrl,
      description: 'Called with the phone number as `phone`. Must return a flat JSON object within two seconds',
    },
    {
      key: 'api_key_header',
      label: 'Header',
      description: 'Name of the header with the key',
      default: 'X-API-Key',
      check: check.header,
    },
    {
      key: 'api_key',
      label: 'Key',
      description: 'Value of the header. Without it, the header is not sent',
      example: 'your-key',
    },
    {
      key: 'phone_format',
      label: 'Format of the phone number',
      description: 'e164: +14155550142; digits: 14155550142; last_10: 4155550142',
      default: 'e164',
      choices: ['e164', 'digits', 'last_10'],
    },
  ],
  flow: ({ lookup_url: url, api_key_header: header = '', api_key: key, phone_format: format = '' }) => ({
    trigger: inboundCallTrigger,
    steps: [
      pieceStep('step_1', 'Look the caller up', 'http', 'send_request', {
        method: 'GET',
        url,
        headers: key === undefined ? {} : { [header]: key },
        queryParams: { phone: phoneFormats[format] ?? '' },
        timeout: 2,
      }),
      codeStep('step_2', 'Select text values', flattenCode, { body: "{{step_1['body']}}" }),
      pieceStep('step_3', 'Pass to the assistant', 'platform', 'respondToCall', { variables: '{{step_2}}' }),
    ],
  }),
  sample: () => ({ customer_phone: sampleNumber }),
}

const midCallLookup: Template = {
  key: 'midcall-http-lookup',
  name: 'Look something up during a call',
  description:
    'Sends the query of the assistant to your URL and returns the response. The assistant passes query (what to look up). Add it to the assistant as a tool.',
  use_when: 'The assistant answers questions about orders, prices or stock during a call.',
  binding: null,
  connections: [],
  sends: false,
  gives: 'query (what to look up)',
  params: [
    {
      ...lookupUrl,
      description: 'Called with GET. The query of the assistant is sent as the query parameter query',
    },
    {
      key: 'auth_header_value',
      label: 'Credential',
      description: 'Value of the Authorization header. Without it, the header is not sent',
      example: 'Bearer your-token',
    },
  ],
  flow: ({ lookup_url: url, auth_header_value: credential }) => ({
    trigger: webhookTrigger('The assistant asks'),
    steps: [
      pieceStep('step_1', 'Look it up', 'http', 'send_request', {
        method: 'GET',
        url,
        headers: credential === undefined ? {} : { Authorization: credential },
        queryParams: { query: triggerField('body', 'query') },
        timeout: 10,
      }),
      respondStep('step_2', { result: "{{step_1['body']}}" }),
    ],
  }),
  sample: () => ({ query: 'sample' }),
}

/** Returns the local time one day later. */
const tomorrow = (now: number): string => new Date(now + 24 * 3600_000).toISOString().slice(0, 16)

const callbackOnRequest: Template = {
  key: 'post-call-callback',
  name: 'Call back when asked to',
  description: 'Calls back at the time the caller asked for. Times without a time zone use the time zone set here.',
  use_when: 'Callers ask to be called at another time.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    {
      key: 'callback_variable',
      label: 'Call-back variable',
      description: 'Variable of the call that says yes when a call back is wanted',
      default: 'callback_wanted',
      check: check.variable,
    },
    {
      key: 'time_variable',
      label: 'Time variable',
      description: 'Variable of the call with the date and time that was asked for, such as 2027-03-02 09:30',
      default: 'callback_time',
      check: check.variable,
    },
    {
      key: 'from_timezone',
      label: 'Time zone',
      description: 'Time zone of times without one',
      example: 'America/New_York',
      auto: 'assistant_timezone',
      check: check.zone,
    },
  ],
  flow: ({ callback_variable: wanted = '', time_variable: time = '', from_timezone: timezone }, { assistant }) => ({
    trigger: callEndedTrigger,
    steps: [
      branchStep('step_1', 'Call back?', isAffirmative(extractedVariable(wanted)), [
        pieceStep('step_2', 'Wait until then', 'delay', 'delay_until', {
          delayUntilTimestamp: extractedVariable(time),
          timezone,
        }),
        pieceStep('step_3', 'Call back', 'platform', 'makePhoneCall', {
          assistant,
          phone_number: triggerField('customer_phone'),
          variables: { previous_summary: extractedVariable('summary') },
        }),
      ]),
    ],
  }),
  sample: ({ callback_variable: wanted = '', time_variable: time = '' }, { now }) => ({
    customer_phone: sampleNumber,
    extracted_variables: { [wanted]: 'yes', [time]: tomorrow(now) },
  }),
}

const callSummary = `Number: ${triggerField('customer_phone')}\nDuration: ${triggerField('duration')} seconds\nSummary: ${extractedVariable('summary')}\nVariables: ${triggerField('extracted_variables')}`

const mailStep = (name: string, to: string | undefined, subject: string, body: string): object =>
  pieceStep(name, 'Send an email', 'mail', 'send_email', {
    receiver: [to ?? ''],
    subject,
    body_type: 'plain_text',
    body,
  })

const recipient = { label: 'Recipient', required: true, example: 'team@northwind.example', check: check.mail } as const

const transcriptEmail: Template = {
  key: 'post-call-transcript-email',
  name: 'Call transcript by email',
  description: 'Sends an email with summary, variables and transcript after each call.',
  use_when: 'You want to read every call.',
  binding: 'post_call',
  connections: ['mail'],
  sends: true,
  params: [{ key: 'recipient_email', description: 'Email address of the recipient', ...recipient }],
  flow: ({ recipient_email: to }) => ({
    trigger: callEndedTrigger,
    steps: [
      mailStep(
        'step_1',
        to,
        `Call with ${triggerField('customer_phone')}`,
        `${callSummary}\n\n${triggerField('formatted_transcript')}\n`,
      ),
    ],
  }),
}

const hotLeadAlert: Template = {
  key: 'post-call-hot-lead-alert',
  name: 'Hot lead alert',
  description: 'Sends an email as soon as a call identifies a hot lead.',
  use_when: 'A person calls promising leads back without delay.',
  binding: 'post_call',
  connections: ['mail'],
  sends: true,
  params: [
    { key: 'alert_email', description: 'Email address that receives the alert', ...recipient },
    {
      key: 'hot_variable',
      label: 'Hot variable',
      description: 'Variable of the call that is yes for a hot lead',
      default: 'status',
      check: check.variable,
    },
  ],
  flow: ({ alert_email: to, hot_variable: hot = '' }) => ({
    trigger: callEndedTrigger,
    steps: [
      branchStep('step_1', 'Hot?', isAffirmative(extractedVariable(hot)), [
        mailStep('step_2', to, `Hot lead: ${triggerField('customer_phone')}`, `${callSummary}\n`),
      ]),
    ],
  }),
  sample: ({ hot_variable: hot = '' }) => ({ extracted_variables: { [hot]: 'yes' } }),
}

const conversationSummary: Template = {
  key: 'conversation-ended-summary-email',
  name: 'Chat summary by email',
  description: 'Sends an email with summary, variables and transcript when a chat has ended.',
  use_when: 'You want to know what customers write about in chats.',
  binding: 'conversation_ended',
  connections: ['mail'],
  sends: true,
  params: [{ key: 'recipient_email', description: 'Email address of the recipient', ...recipient }],
  flow: ({ recipient_email: to }) => {
    const bodyField = (name: string): string => triggerField('body', name)
    const about = [
      `Channel: ${bodyField('type')}`,
      `Customer: ${bodyField('customer_name')} ${bodyField('customer_phone')}`,
      `Summary: ${triggerField('body', 'extracted_variables', 'summary')}`,
      `Variables: ${bodyField('extracted_variables')}`,
    ]
    const subject = `Chat with {{trigger['body']['customer_name'] || trigger['body']['customer_phone'] || 'a visitor'}}`
    return {
      trigger: webhookTrigger('Conversation ended'),
      steps: [mailStep('step_1', to, subject, `${about.join('\n')}\n\n${bodyField('formatted_transcript')}\n`)],
    }
  },
}

const smsFollowUp: Template = {
  key: 'post-call-sms-followup',
  name: 'SMS after a call',
  description: 'Sends an SMS to the caller after each call.',
  use_when: 'Callers get a link, an address or a thank-you in writing.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    {
      key: 'from_phone_id',
      label: 'From',
      description: 'Id of the number the SMS is sent from',
      required: true,
      example: '3',
      check: check.id,
    },
    {
      key: 'message',
      label: 'Message',
      description: 'Text of the SMS. Use {{ }} for values from the call',
      required: true,
      example: 'Thank you for calling Northwind Dental.',
    },
  ],
  flow: ({ from_phone_id: from, message }) => ({
    trigger: callEndedTrigger,
    steps: [
      pieceStep('step_1', 'Send an SMS', 'platform', 'sendSms', {
        from: Number(from),
        to: triggerField('customer_phone'),
        body: message,
      }),
    ],
  }),
}

const messagingConfirmation: Template = {
  key: 'post-call-messaging-confirmation',
  name: 'Template message after a call',
  description: 'Sends an approved message template to the caller after each call.',
  use_when: 'Callers get a confirmation on the messaging channel.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    ...messageParams,
    {
      key: 'variable_1',
      label: 'First placeholder',
      description:
        'Value of the first placeholder. variable_2, variable_3 and so on set the others, variable_<name> a named one',
      repeatPattern: /^variable_[A-Za-z0-9_]{1,64}$/,
      example: "{{trigger['extracted_variables']['first_name']}}",
    },
  ],
  flow: ({ sender_id: sender, messaging_template: template, ...more }) => ({
    trigger: callEndedTrigger,
    steps: [
      pieceStep('step_1', 'Send the template', 'platform', 'sendTemplate', {
        sender: Number(sender),
        template,
        to: triggerField('customer_phone'),
        variables: placeholders(more, 'variable_'),
      }),
    ],
  }),
}

const paramValue = (values: Values, key: string): string => values[key] ?? ''

const qualifiedToSpreadsheet: Template = {
  key: 'post-call-qualified-to-spreadsheet',
  name: 'Qualified calls to a spreadsheet',
  description:
    'Adds a row to a spreadsheet after each call with a qualified caller: date, phone number, duration, summary and extracted values.',
  use_when: 'You want a list of qualified leads that others can work with.',
  binding: 'post_call',
  connections: ['spreadsheet'],
  sends: false,
  params: [
    {
      key: 'spreadsheet_id',
      label: 'Spreadsheet',
      description: 'Id of the spreadsheet rows are added to',
      required: true,
      example: 'leads',
    },
    {
      key: 'qualified_variable',
      label: 'Qualified variable',
      description: 'Variable of the call that is yes when the caller is qualified',
      default: 'status',
      check: check.variable,
    },
  ],
  flow: (values) => ({
    trigger: callEndedTrigger,
    steps: [
      branchStep('step_1', 'Qualified?', isAffirmative(extractedVariable(paramValue(values, 'qualified_variable'))), [
        pieceStep('step_2', 'Add a row', 'spreadsheet', 'insert_row', {
          spreadsheet_id: paramValue(values, 'spreadsheet_id'),
          values: {
            Date: triggerField('finished_at'),
            Phone: triggerField('customer_phone'),
            Duration: triggerField('duration'),
            Summary: extractedVariable('summary'),
            Details: triggerField('extracted_variables'),
          },
        }),
      ]),
    ],
  }),
  sample: (values) => ({ extracted_variables: { [paramValue(values, 'qualified_variable')]: 'yes' } }),
}

const crmNote: Template = {
  key: 'post-call-crm-note-http',
  name: 'Call note to a CRM over HTTP',
  description: 'Posts phone number, summary, variables and transcript of each call to your URL as JSON.',
  use_when: 'Your CRM accepts notes over HTTP, and there is no connection for it here.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    {
      key: 'endpoint_url',
      label: 'Address',
      description: 'URL that receives the note',
      required: true,
      example: 'https://crm.example/notes',
      check: check.address,
    },
    {
      key: 'auth_header',
      label: 'Header',
      description: 'Name of the header with the credential',
      default: 'Authorization',
      check: check.header,
    },
    {
      key: 'auth_value',
      label: 'Credential',
      description: 'Value of the header. Without it, the header is not sent',
      example: 'Bearer your-token',
    },
  ],
  flow: (values) => ({
    trigger: callEndedTrigger,
    steps: [
      pieceStep('step_1', 'Post the note', 'http', 'send_request', {
        method: 'POST',
        url: paramValue(values, 'endpoint_url'),
        headers: values.auth_value === undefined ? {} : { [paramValue(values, 'auth_header')]: values.auth_value },
        queryParams: {},
        body_type: 'json',
        body: {
          data: {
            call_id: triggerField('id'),
            phone: triggerField('customer_phone'),
            duration: triggerField('duration'),
            status: triggerField('status'),
            summary: extractedVariable('summary'),
            variables: triggerField('extracted_variables'),
            transcript: triggerField('formatted_transcript'),
            finished_at: triggerField('finished_at'),
          },
        },
      }),
    ],
  }),
}

/** All templates, in the order of the specification (section 4.20). */
export const templates: readonly Template[] = [
  qualifiedToSpreadsheet,
  transcriptEmail,
  hotLeadAlert,
  smsFollowUp,
  messagingConfirmation,
  crmNote,
  callbackOnRequest,
  callerLookup,
  conversationSummary,
  leadIntake,
  midCallLookup,
  rowsToCampaign,
  rowsToMessages,
  callBeforeAppointment,
  cancelOrReschedule,
  crmAppointments,
]
