import * as check from './checks.ts'
import { act, branch, callEnds, found, given, saysYes } from './nodes.ts'
import type { Template, Values } from './template.ts'

const named = (values: Values, key: string): string => values[key] ?? ''

export const qualifiedToSpreadsheet: Template = {
  key: 'post-call-qualified-to-spreadsheet',
  name: 'Qualified calls to a spreadsheet',
  description: 'Adds a row to a spreadsheet after each call that qualified the caller: date, phone number, duration, summary and everything found out.',
  use_when: 'You want a list of qualified leads that others can work with.',
  binding: 'post_call',
  connections: ['spreadsheet'],
  sends: false,
  params: [
    { key: 'spreadsheet_id', label: 'Spreadsheet', description: 'Id of the spreadsheet rows are added to', required: true, example: 'leads' },
    {
      key: 'qualified_variable',
      label: 'Qualified variable',
      description: 'Variable of the call that says yes when the caller is qualified',
      default: 'status',
      check: check.variable,
    },
  ],
  flow: (values) => ({
    trigger: callEnds,
    steps: [
      branch('step_1', 'Qualified?', saysYes(found(named(values, 'qualified_variable'))), [
        act('step_2', 'Add a row', 'spreadsheet', 'insert_row', {
          spreadsheet_id: named(values, 'spreadsheet_id'),
          values: {
            Date: given('finished_at'),
            Phone: given('customer_phone'),
            Duration: given('duration'),
            Summary: found('summary'),
            Details: given('extracted_variables'),
          },
        }),
      ]),
    ],
  }),
  sample: (values) => ({ extracted_variables: { [named(values, 'qualified_variable')]: 'yes' } }),
}

export const crmNote: Template = {
  key: 'post-call-crm-note-http',
  name: 'Call note to a CRM over HTTP',
  description: 'Posts phone number, summary, variables and transcript of each call to an address of yours as JSON.',
  use_when: 'Your CRM has an address that takes notes, and no connection of its own here.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    {
      key: 'endpoint_url',
      label: 'Address',
      description: 'Where the note is posted',
      required: true,
      example: 'https://crm.example/notes',
      check: check.address,
    },
    { key: 'auth_header', label: 'Header', description: 'Header that carries the credential', default: 'Authorization', check: check.header },
    { key: 'auth_value', label: 'Credential', description: 'What the header holds; none is sent without it', example: 'Bearer your-token' },
  ],
  flow: (values) => ({
    trigger: callEnds,
    steps: [
      act('step_1', 'Post the note', 'http', 'send_request', {
        method: 'POST',
        url: named(values, 'endpoint_url'),
        headers: values.auth_value === undefined ? {} : { [named(values, 'auth_header')]: values.auth_value },
        queryParams: {},
        body_type: 'json',
        body: {
          data: {
            call_id: given('id'),
            phone: given('customer_phone'),
            duration: given('duration'),
            status: given('status'),
            summary: found('summary'),
            variables: given('extracted_variables'),
            transcript: given('formatted_transcript'),
            finished_at: given('finished_at'),
          },
        },
      }),
    ],
  }),
}
