import * as check from './param-checks.ts'
import type { Template } from './template.ts'
import {
  codeStep,
  inboundCallTrigger,
  pieceStep,
  respondStep,
  sampleNumber,
  triggerField,
  webhookTrigger,
} from './template-nodes.ts'

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

export const callerLookup: Template = {
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

export const midCallLookup: Template = {
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
