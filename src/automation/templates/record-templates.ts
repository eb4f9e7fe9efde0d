import * as check from './param-checks.ts'
import type { Template, Values } from './template.ts'
import {
  branchStep,
  callEndedTrigger,
  extractedVariable,
  isAffirmative,
  pieceStep,
  triggerField,
} from './template-nodes.ts'

const paramValue = (values: Values, key: string): string => values[key] ?? ''

export const qualifiedToSpreadsheet: Template = {
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

export const crmNote: Template = {
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
