import type * as z from 'zod'
import { isObject } from '../../contract/values/json-object.ts'
import { parseJson } from '../../node/json.ts'
import { getOwn } from '../definition/node.ts'
import { anyText, anything, choice, fields, httpHeaders, map, wholeNumber } from './input-fields.ts'
import { formatPath } from './parse-input.ts'
import { action, done, type Piece, type Trigger } from './piece.ts'
import { StepFailure } from './step-failure.ts'

const answer = fields({ status: wholeNumber(200, 200, 599), headers: httpHeaders, body: anything, data: anything })

/** Returns the issues about headers that HTTP cannot send. */
const unsendableIssues = (error: z.ZodError | undefined) => (error?.issues ?? []).filter((it) => it.code === 'custom')

const input = fields({
  responseType: choice(['json', 'raw', 'redirect'], 'json').describe(
    'JSON, any text, or a redirect (301) to the address in body',
  ),
  fields: anything.describe('status (default: 200), headers and body; for a redirect, body is the address'),
  status: anything.describe('Without fields: status from 200 to 599 (default: 200)'),
  headers: anything.describe('Without fields: headers, an object with texts'),
  body: anything.describe('Without fields: content; or an object with data or status, and optionally headers'),
  body_type: anything.describe('Without fields: raw sends any text'),
  respond: choice(['stop', 'respond'], 'stop').describe('Whether the run ends, or continues'),
}).superRefine((response, context) => {
  const headers = getOwn(response.fields, 'headers')
  for (const { path, message } of unsendableIssues(httpHeaders.safeParse(headers).error))
    context.addIssue({ code: 'custom', path: ['fields', 'headers', ...path], message })
})
type Input = z.output<typeof input>

interface CallerResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: unknown
}

/** Builds a response from any supported input form: under `fields`, under `body`, or side by side (the HTTP piece). */
function buildResponse(input: Input): CallerResponse {
  const whole = input as Record<string, unknown>
  const inner = getOwn(whole, 'fields')
  const nested = isObject(inner) && Object.keys(inner).length > 0 ? inner : getOwn(whole, 'body')
  const isNested = isObject(nested) && (nested === inner || 'data' in nested || 'status' in nested)
  const parsed = answer.safeParse(
    isNested
      ? nested
      : { status: getOwn(whole, 'status'), headers: getOwn(whole, 'headers'), body: getOwn(whole, 'body') },
  )
  const [unsendable] = unsendableIssues(parsed.error)
  if (unsendable) throw new StepFailure(`${formatPath(unsendable.path)} ${unsendable.message}`)
  if (!parsed.success)
    throw new StepFailure('The response must have a status from 200 to 599 and headers with text values.')
  const { status, headers, body, data } = parsed.data
  const content = data === undefined ? body : data
  const type = input.responseType === 'json' && getOwn(whole, 'body_type') === 'raw' ? 'raw' : input.responseType
  if (type === 'redirect')
    return { status: 301, headers: { ...headers, location: withProtocol(anyText.parse(content)) }, body: '' }
  return { status, headers, body: type === 'raw' ? anyText.parse(content) : toJsonBody(content) }
}

const withProtocol = (address: string): string => (/^[a-z][a-z\d+.-]*:/i.test(address) ? address : `https://${address}`)

function toJsonBody(content: unknown): unknown {
  if (typeof content !== 'string') return content ?? {}
  if (content.trim() === '') return {}
  try {
    return parseJson(content)
  } catch {
    throw new StepFailure('The response body is not valid JSON.')
  }
}

/** Sends the response to the caller. The run ends there unless `respond` is set to continue. */
export const respond = action<Input>({
  title: 'Return a response',
  example: {
    responseType: 'json',
    fields: { status: 200, headers: { 'X-Version': '1' }, body: { greeting: 'Hello {{trigger.body.name}}' } },
  },
  isInternal: true,
  input,
  run: async (input) => {
    const reply = buildResponse(input)
    return { kind: 'respond', ...reply, stop: input.respond === 'stop', output: reply }
  },
})

/** Sends the response, then waits for the next webhook call, whose payload is the output of the step. */
const respondAndWait = action<Input>({
  title: 'Return a response and wait for the next webhook call',
  example: {
    responseType: 'json',
    fields: { status: 202, body: { next: '{{trigger.body.name}}' } },
  },
  isInternal: true,
  input,
  run: async (input, { resumed }) => {
    if (resumed) return done(resumed.payload ?? {})
    const reply = buildResponse(input)
    return { kind: 'respond', ...reply, stop: false, waits: true, output: reply }
  },
})

/** Returns variables for the assistant before it answers a call, as a flat map of texts. */
export const respondToCall = action({
  title: 'Pass variables to the assistant before it answers',
  example: { variables: { first_name: 'Ada', is_customer: 'yes' } },
  isInternal: true,
  input: fields({ variables: map.describe('Values of variables of the assistant by name') }),
  run: async ({ variables }) => {
    const body = toFlatTexts(variables)
    return { kind: 'respond', status: 200, headers: {}, body, stop: true, output: body }
  },
})

/**
 * Returns the response to an inbound call, a flat map of texts, which become variables of the assistant.
 * @throws StepFailure that names a nested value
 */
export function toFlatTexts(value: unknown): Record<string, string> {
  if (!isObject(value)) throw new StepFailure('The response to an inbound call must be an object with text values.')
  const entries = Object.entries(value).map(([name, child]) => {
    if (typeof child === 'object' && child !== null)
      throw new StepFailure(
        `The response to an inbound call must be a flat object with text values: ${name} is not a text.`,
      )
    return [name, child === null || child === undefined ? '' : String(child)] as const
  })
  return Object.fromEntries(entries)
}

const webhookTrigger: Trigger = {
  title: 'Webhook',
  example: { authType: 'header', authFields: { headerName: 'X-Token', headerValue: 't_1' } },
  kind: 'webhook',
  input: fields({
    authType: choice(['none', 'basic', 'header'], 'none').describe('What a call must send; authFields has the values'),
    authFields: map.describe('username and password for basic, headerName and headerValue for header'),
  }),
}

export const webhook: Piece = {
  names: ['webhook'],
  // Older editors call the trigger `catch_request`.
  triggers: { catch_webhook: webhookTrigger, catch_request: { ...webhookTrigger, example: { authType: 'none' } } },
  actions: { return_response: respond, return_response_and_wait_for_next_webhook: respondAndWait },
}
