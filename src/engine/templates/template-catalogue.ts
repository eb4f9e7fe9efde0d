import { callBeforeAppointment, cancelOrReschedule, crmAppointments } from './appointment-templates.ts'
import { leadIntake, rowsToCampaign, rowsToMessages } from './lead-templates.ts'
import { callerLookup, midCallLookup } from './lookup-templates.ts'
import { messageParams } from './message-params.ts'
import * as check from './param-checks.ts'
import { placeholders } from './param-values.ts'
import type { Template, Values } from './template.ts'
import {
  branchStep,
  callEndedTrigger,
  extractedVariable,
  isAffirmative,
  pieceStep,
  sampleNumber,
  triggerField,
  webhookTrigger,
} from './template-nodes.ts'

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
