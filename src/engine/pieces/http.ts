import * as z from '../../contract/schema/schema.ts'
import { httpHeader } from '../../contract/values/http-header.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { getOwn, type JsonObject } from '../definition/node.ts'
import { safeMethods } from '../http/safe-methods.ts'
import type { HttpRequest, HttpResponse } from '../ports.ts'
import { isWebAddress, readHttpConnection, resolveUrl } from './http-connection.ts'
import { parseBody, responseFailure } from './http-response.ts'
import {
  anyText,
  anything,
  choice,
  fields,
  flag,
  httpHeaders,
  isUnsendable,
  map,
  numberOr,
  texts,
} from './input-fields.ts'
import { type Action, action, done, type Piece } from './piece.ts'
import { respond } from './respond.ts'
import { StepFailure } from './step-failure.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const
/** What a step does after an error. Saved definitions have these words. */
const failureModes = ['retry_all', 'retry_5xx', 'retry_none', 'continue_all', 'continue_4xx', 'continue_none'] as const

const address = z.preprocess(
  (it) => (typeof it === 'string' ? it.trim() : it),
  z
    .string()
    .min(1)
    .refine((it) => it.startsWith('/') || isWebAddress(it), 'must be an http or https address'),
)

const input = fields({
  method: z
    .preprocess((it) => (typeof it === 'string' ? it.trim().toUpperCase() : it), z.enum(methods))
    .describe('Method of the request'),
  url: address.describe('Address, or a path below the base URL of the connection'),
  auth: anything.describe('Connection of the kind custom'),
  headers: httpHeaders.describe('Headers by name'),
  queryParams: texts.describe('Query parameters by name, added to those of url'),
  authType: z
    .preprocess(
      (it) => (typeof it === 'string' && it !== '' ? it.toUpperCase() : 'NONE'),
      z.enum(['NONE', 'BASIC', 'BEARER_TOKEN']),
    )
    .describe('How the request authenticates; authFields has the values'),
  authFields: map.describe('username and password for BASIC, token for BEARER_TOKEN'),
  body_type: choice(['none', 'json', 'form_data', 'form_urlencoded', 'raw'])
    .optional()
    .describe('How body.data is sent (default: detected)'),
  body: anything.describe('The content in data; for forms an object'),
  timeout: numberOr(30, 0.1, 300).describe('Seconds'),
  failsafe: flag.describe('Whether an error is the output and not a failure'),
  failureMode: choice(failureModes)
    .optional()
    .describe('After which errors the step is tried again, or the run continues'),
  response_is_binary: flag.describe('Whether the body of the response is Base64'),
})
  .refine((it) => !it.url.startsWith('/') || isObject(it.auth) || typeof it.auth === 'string', {
    path: ['url'],
    error: 'must be an http or https address, or a path with a connection in auth',
  })
  .refine((it) => it.authType !== 'BEARER_TOKEN' || !isUnsendable(anyText.parse(getOwn(it.authFields, 'token'))), {
    path: ['authFields', 'token'],
    error: `contains characters that are not allowed in a header. ${httpHeader.valueRule}`,
  })
type Input = z.output<typeof input>

/** Returns whether a request only reads. A method that is unknown before the run counts as writing. */
const isReadOnly = (given: JsonObject): boolean =>
  typeof given.method === 'string' && given.method.trim().toUpperCase() === 'GET'

const sendRequest: Action<Input> = {
  title: 'Send an HTTP request',
  example: {
    method: 'POST',
    url: 'https://example.com/orders',
    headers: { 'X-Source': 'parley' },
    queryParams: { dry: 'false' },
    authType: 'BEARER_TOKEN',
    authFields: { token: 't_1' },
    body_type: 'json',
    body: { data: { customer: '{{trigger.body.name}}', quantity: 2 } },
    timeout: 10,
  },
  input,
  hasSideEffects: (given) => !isReadOnly(given),
  async run(input, context) {
    const request = buildRequest(input, context.key)
    try {
      const reply = await context.ports.http.send(request, context.signal)
      context.log(`${request.method} ${new URL(request.url).origin}: ${reply.status}`)
      const answer = { status: reply.status, headers: reply.headers, body: responseBody(input, reply) }
      if (reply.status < 400) return done(answer)
      throw responseFailure(answer, request.body)
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      if (input.failsafe || continuesOnError(input.failureMode, error))
        return done(error.output ?? { error: error.message })
      throw new StepFailure(error.message, { ...error, mayRetry: mayRetry(input.failureMode, error) })
    }
  },
}

const responseBody = (input: Input, reply: HttpResponse): unknown =>
  input.response_is_binary
    ? Buffer.from(reply.body).toString('base64')
    : parseBody(reply.headers['content-type'], reply.body)

/**
 * In the original engine of these flows, `continue_none` ended runs successfully on an error. Here it fails like the
 * other modes.
 */
function continuesOnError(mode: Input['failureMode'], error: StepFailure): boolean {
  return mode === 'continue_all' || (mode === 'continue_4xx' && isClientError(error))
}

const mayRetry = (mode: Input['failureMode'], error: StepFailure): boolean =>
  mode !== 'retry_none' && mode !== 'continue_none' && !(mode === 'retry_5xx' && isClientError(error))

/** Returns whether the server refused the request, with a status below 500. */
function isClientError(error: StepFailure): boolean {
  const status = getOwn(getOwn(error.output, 'response'), 'status')
  return typeof status === 'number' && status < 500
}

function buildRequest(input: Input, key: string): HttpRequest {
  const connection = readHttpConnection(input.auth)
  const url = resolveUrl(input.url, connection)
  for (const [name, value] of Object.entries(input.queryParams)) url.searchParams.append(name, value)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(input.headers))
    if (name.trim() !== '') headers[checkedName(name.trim())] = checkedValue(name, value)
  const hasHeader = (name: string): boolean => Object.keys(headers).some((it) => it.toLowerCase() === name)
  for (const [name, value] of Object.entries(connection?.headers ?? {}))
    if (!hasHeader(name.trim().toLowerCase())) headers[checkedName(name.trim())] = checkedValue(name, value)
  if (!hasHeader('authorization')) Object.assign(headers, authorization(input))
  const isWrite = !safeMethods.includes(input.method)
  const [type, body] = input.method === 'GET' || input.method === 'HEAD' ? [] : encodeBody(input.body_type, input.body)
  if (type !== undefined && !hasHeader('content-type')) headers['content-type'] = type
  if (isWrite && !hasHeader('idempotency-key')) headers['idempotency-key'] = key
  return { method: input.method, url: url.href, headers, body, timeout: input.timeout * 1000 }
}

function checkedName(name: string): string {
  if (!httpHeader.name.test(name))
    throw new StepFailure(`headers: Invalid header name ${stringifyJson(name)}. ${httpHeader.nameRule}`)
  return name
}

function checkedValue(name: string, given: string): string {
  const value = given.trim()
  if (!httpHeader.value.test(value))
    throw new StepFailure(
      `headers.${name} contains characters that are not allowed in a header. ${httpHeader.valueRule}`,
    )
  return value
}

function authorization({ authType, authFields }: Input): Record<string, string> {
  const part = (name: string): string => anyText.parse(getOwn(authFields, name))
  if (authType === 'BEARER_TOKEN') return { authorization: checkedBearer(part('token')) }
  if (authType === 'BASIC')
    return { authorization: `Basic ${Buffer.from(`${part('username')}:${part('password')}`).toString('base64')}` }
  return {}
}

function checkedBearer(token: string): string {
  if (token === '') throw new StepFailure('authFields.token is required.', { classification: 'missing_connection' })
  return checkedValue('Authorization', `Bearer ${token}`)
}

/**
 * Returns the content type and bytes of a body. Without a type it is detected: older flows put the JSON itself there.
 */
function encodeBody(type: Input['body_type'], given: unknown): [string, string] | [] {
  const body =
    type === undefined
      ? (getOwn(given, 'data') ?? given)
      : (getOwn(given, 'data') ?? (type === 'json' || type.startsWith('form') ? given : ''))
  if (type === 'none' || (type === undefined && (body === undefined || body === null || body === ''))) return []
  if (type === 'raw') return ['text/plain; charset=utf-8', anyText.parse(body)]
  if (type === 'form_data' || type === 'form_urlencoded') return encodeForm(type, body)
  if (typeof body !== 'string') return ['application/json', stringifyJson(body ?? {})]
  return type === 'json' ? ['application/json', checkedJson(body)] : ['text/plain; charset=utf-8', body]
}

function checkedJson(text: string): string {
  try {
    parseJson(text)
    return text
  } catch {
    throw new StepFailure('body.data is not valid JSON.')
  }
}

function encodeForm(type: 'form_data' | 'form_urlencoded', body: unknown): [string, string] {
  if (!isObject(body)) throw new StepFailure('body.data must be an object with names and values.')
  const entries = Object.entries(body).map(([name, value]) => [name, anyText.parse(value)] as const)
  if (type === 'form_urlencoded')
    return ['application/x-www-form-urlencoded', new URLSearchParams(entries as [string, string][]).toString()]
  const quoted = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  let boundary = 'parley-form'
  while (entries.some(([, value]) => value.includes(boundary))) boundary += '-x'
  const parts = entries.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  )
  return [`multipart/form-data; boundary=${boundary}`, `${parts.join('')}--${boundary}--\r\n`]
}

export const http: Piece = {
  names: ['http'],
  triggers: {},
  // Older flows respond with this piece, because the webhook piece had no response action.
  actions: {
    send_request: action(sendRequest),
    return_response: { ...respond, example: { status: 200, body: { received: true } } },
  },
}
