import { messageParams } from './message-params.ts'
import * as check from './param-checks.ts'
import { placeholders } from './param-values.ts'
import type { Template } from './template.ts'
import {
  everyDayTrigger,
  everyMinutesTrigger,
  loopStep,
  pieceStep,
  respondStep,
  webhookTrigger,
} from './template-nodes.ts'

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

export const leadIntake: Template = {
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

export const rowsToCampaign: Template = {
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

export const rowsToMessages: Template = {
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
