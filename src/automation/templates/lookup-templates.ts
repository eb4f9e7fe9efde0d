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

/** The number in the spelling the other side knows. */
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
    'Asks an address of yours who is calling before the assistant answers, and gives it what is known as variables.',
  use_when: 'The assistant shall greet callers by name, or know what they bought.',
  binding: 'inbound',
  connections: [],
  sends: false,
  params: [
    { ...lookupUrl, description: 'Asked with the number as `phone`; answers a flat JSON object within two seconds' },
    {
      key: 'api_key_header',
      label: 'Header',
      description: 'Header that carries the key',
      default: 'X-API-Key',
      check: check.header,
    },
    {
      key: 'api_key',
      label: 'Key',
      description: 'What the header holds; none is sent without it',
      example: 'your-key',
    },
    {
      key: 'phone_format',
      label: 'Spelling of the number',
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
      codeStep('step_2', 'Keep what is plain', flattenCode, { body: "{{step_1['body']}}" }),
      pieceStep('step_3', 'Tell the assistant', 'platform', 'respondToCall', { variables: '{{step_2}}' }),
    ],
  }),
  sample: () => ({ customer_phone: sampleNumber }),
}

export const midCallLookup: Template = {
  key: 'midcall-http-lookup',
  name: 'Look something up during a call',
  description:
    'Asks an address of yours with what the assistant gives as query, and answers what it says. Make a tool of it for the assistant.',
  use_when: 'The assistant shall look up orders, prices or stock while it talks.',
  binding: null,
  connections: [],
  sends: false,
  gives: 'query (what to look up)',
  params: [
    {
      ...lookupUrl,
      description: 'Asked with GET; what the assistant gives as query goes along as a query parameter of that name',
    },
    {
      key: 'auth_header_value',
      label: 'Credential',
      description: 'What the Authorization header holds; none is sent without it',
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
