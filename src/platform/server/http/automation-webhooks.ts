import { isUtf8 } from 'node:buffer'
import { webhooksPath } from '../../../contract/automations/webhook-path.ts'
import type { RateLimit } from '../../../contract/endpoint/endpoint.ts'
import type { PlainRequest, PlainResponse } from '../../../contract/endpoint/http-message.ts'
import { Failure, failures, toEnvelope } from '../../../contract/errors/failures.ts'
import { httpHeader } from '../../../contract/values/http-header.ts'
import { charsetOf, decodeText } from '../../../node/decode-text.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { addField, filesPath, type WebhookFile } from '../../services/automations/triggers/webhook-files.ts'
import { callbackPath, callbacksPath } from '../../services/automations/triggers/webhook-paths.ts'
import {
  type ApprovalResult,
  type IncomingRequest,
  type WebhookMode,
  webhookService,
} from '../../services/automations/triggers/webhook-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { toFailure } from '../../services/runtime/error-responses.ts'
import { requireFixedWindow } from '../../services/runtime/request-limits.ts'
import type { RequestHandler } from '../app.ts'
import { bodyTooLarge, maxWebhookBodyBytes } from './read-input.ts'
import { type FormPart, parameterOf, splitForm } from './read-multipart.ts'
import { originOf } from './router.ts'

/** The parsed body of a webhook request. */
interface WebhookBody {
  readonly body: unknown
  /** The body as it was sent, because signatures are computed over it. */
  readonly rawBytes?: Uint8Array
  readonly files: readonly WebhookFile[]
}

const typeOf = (headers: PlainRequest['headers']): string => headers['content-type'] ?? ''
const binaryTypePattern =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip|x-gzip|x-tar|msword|vnd\.(?!.*[+/](?:json|xml)\b)))/i

const textTypePattern = /^text\/|[/+](?:json|xml|x-www-form-urlencoded)\b|;\s*charset=/i

/**
 * Returns whether a body is a file rather than text: by its type, or if the type is inconclusive, because it is not
 * UTF-8.
 */
function isFile(type: string, bytes: Buffer): boolean {
  if (binaryTypePattern.test(type)) return true
  return !textTypePattern.test(type) && !isUtf8(bytes)
}

/**
 * Parses the body of a webhook request: JSON and forms as values, files separately, anything else as text.
 * @throws Failure `malformed` for a body that is not the JSON that its type names
 */
function readWebhookBody({ body, bytes, headers }: PlainRequest): WebhookBody {
  if (body === undefined || (body === '' && !bytes?.length)) return { body: {}, files: [] }
  const type = typeOf(headers)
  const rawBytes = bytes ?? Buffer.from(body)
  // Most requests are JSON, whose bytes need no inspection.
  if (textTypePattern.test(type)) return { body: parseBody(body, type), rawBytes, files: [] }
  const raw = Buffer.from(rawBytes.buffer, rawBytes.byteOffset, rawBytes.byteLength)
  const form = /^multipart\/form-data\b/i.test(type) ? splitForm(type, raw) : undefined
  if (form) return { ...readParts(form.parts), rawBytes }
  if (isFile(type, raw))
    return {
      body: {},
      rawBytes,
      files: [
        {
          field: null,
          name: parameterOf(headers['content-disposition'] ?? '', 'filename') || 'file',
          type: plainType(type),
          bytes: raw,
        },
      ],
    }
  return { body: parseBody(body, type), rawBytes, files: [] }
}

function parseBody(text: string, type: string): unknown {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return toFields(readForm(text, type))
  if (type !== '' && !/\bjson\b/i.test(type)) return text
  try {
    return parseJson(text)
  } catch {
    // Otherwise a run would start that finds no fields.
    if (type !== '')
      throw new Failure('malformed', { text: `${failures.malformed.text} For text, send it as text/plain.` })
    return text
  }
}

/** Parses a form. Its escapes are bytes of the character set that its type names. */
function readForm(text: string, type: string): Iterable<readonly [string, string]> {
  if (/^(?:utf-?8)?$/.test(charsetOf(type) ?? '')) return new URLSearchParams(text)
  const decode = (text: string): string =>
    text
      .replaceAll('+', ' ')
      .replaceAll(/(?:%[\da-f]{2})+/gi, (escaped) => decodeText(Buffer.from(escaped.replaceAll('%', ''), 'hex'), type))
  return text
    .split('&')
    .filter((it) => it !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=')
      return [decode(name), decode(value.join('='))]
    })
}

/** Returns pairs as fields. A name that occurs more than once has a list. */
function toFields(pairs: Iterable<readonly [string, string]>): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {}
  for (const [name, value] of pairs) addField(fields, name, value)
  return fields
}

const plainType = (type: string): string => type.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream'

/** Reads the parts of a form with their files. A field that occurs more than once becomes a list. */
function readParts(parts: readonly FormPart[]): WebhookBody {
  const fields: Record<string, unknown> = {}
  const files: WebhookFile[] = []
  for (const { name, filename, type, content } of parts) {
    if (!name) continue
    if (filename || (type !== '' && isFile(type, content)))
      files.push({ field: name, name: filename || name, type: plainType(type), bytes: content })
    else addField(fields, name, decodeText(content, type))
  }
  return { body: fields, files }
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): PlainResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: stringifyJson(body),
})

/** What an address of a webhook ends with, and what that means. Other systems call these addresses: they never change. */
const modes: Readonly<Record<string, WebhookMode>> = {
  '': { isSync: false, isDraft: false, isTest: false },
  '/sync': { isSync: true, isDraft: false, isTest: false },
  '/draft': { isSync: false, isDraft: true, isTest: false },
  '/draft/sync': { isSync: true, isDraft: true, isTest: false },
  '/test': { isSync: false, isDraft: false, isTest: true },
}

/** Creates the handler of the automations' webhooks, for every method and any body. It never throws. */
export function createWebhookHandler(deps: Deps, limit?: RateLimit): RequestHandler {
  const service = webhookService(deps, async (account) => {
    if (limit) await requireFixedWindow(deps, account, limit)
  })

  async function answer(request: PlainRequest): Promise<PlainResponse> {
    const { pathname, queryParams } = parseUrl(request.url)
    // OPTIONS and HEAD start no run: browsers send OPTIONS before a request, and clients check addresses with HEAD.
    if (request.method === 'OPTIONS') return preflight(request)
    if (pathname.startsWith(filesPath)) return file(request, pathname.slice(filesPath.length))
    const size = request.body === undefined ? 0 : (request.bytes?.length ?? Buffer.byteLength(request.body))
    if (size > maxWebhookBodyBytes) return json(413, { message: bodyTooLarge(maxWebhookBodyBytes).message })
    const origin = originOf(request)
    const call: IncomingRequest = {
      method: request.method,
      headers: request.headers,
      queryParams,
      origin,
      ...(request.remote && { remoteAddress: request.remote.address }),
      ...readWebhookBody(request),
    }
    if (pathname.startsWith(callbacksPath)) {
      const [name = '', suffix] = pathname.slice(callbacksPath.length).split('/')
      const waitId = decodeURIComponent(name).replaceAll('\0', '')
      if (suffix === 'resume')
        return respond(request, await service.handleApproval(waitId, call, request.method === 'HEAD'), origin)
      if (suffix !== undefined && suffix !== 'sync') return json(404, { message: failures.no_route.text })
      return respond(
        request,
        request.method === 'HEAD'
          ? await service.checkCallback(waitId)
          : await service.handleCallback(waitId, call, suffix === 'sync'),
        origin,
      )
    }
    const [, id = '', suffix = ''] = /^([^/]+)(\/.*?)?\/?$/.exec(pathname.slice(webhooksPath.length)) ?? []
    const mode = Object.hasOwn(modes, suffix) ? modes[suffix] : undefined
    if (!pathname.startsWith(webhooksPath) || !mode) return json(404, { message: failures.no_route.text })
    const key = request.headers['idempotency-key']
    if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key))
      return json(422, { message: 'The Idempotency-Key must have 1 to 255 printable characters.' })
    return respond(
      request,
      request.method === 'HEAD' ? await service.check(id) : await service.receive(id, mode, call, key),
      origin,
    )
  }

  /** Answers with a result. The log of requests then knows which run failed. */
  function respond(request: PlainRequest, result: ApprovalResult, origin: string): PlainResponse {
    if (result.kind === 'failed' && request.context) request.context.failedRun = result.run
    return toResponse(result, origin)
  }

  async function file({ method }: PlainRequest, id: string): Promise<PlainResponse> {
    if (method !== 'GET' && method !== 'HEAD')
      return json(405, { message: failures.wrong_method.text }, { allow: 'GET, HEAD' })
    const found = await service.file(id)
    if (!found) return json(404, { message: 'File not found, or older than 30 days.' })
    const headers = {
      'content-type': found.type,
      'content-disposition': `attachment; filename="${found.name.replace(/[^\w .()-]/g, '_')}"`,
    }
    return { status: 200, headers, body: '', bytes: found.bytes }
  }

  return async (request) => {
    try {
      const response = await answer(request)
      // Web pages may call webhooks and read their responses. A flow's own headers take precedence, except those that
      // isolate a page.
      const answered = {
        ...response,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': exposedHeaders,
          ...response.headers,
          ...isolationHeaders(response.headers),
        },
      }
      return request.method === 'HEAD' ? { ...answered, body: '' } : answered
    } catch (error) {
      if (error instanceof URIError) return json(400, { message: 'Bad Request' })
      const failure =
        error instanceof Failure
          ? error
          : await toFailure(
              error as Error,
              `${request.method} ${request.url}`,
              (text, reason) =>
                deps.log(text, { trace_id: request.context?.traceId, ...(reason !== undefined && { reason }) }),
              deps.countEvent,
            )
      const headers = { 'access-control-allow-origin': '*', ...failure.headers }
      return json(failures[failure.kind].status, toEnvelope(failure), headers)
    }
  }
}

/**
 * Returns headers with which a browser isolates a page of a flow in a separate origin. Otherwise its scripts could use the
 * inspector, which is served under the same address. JSON and plain text cannot contain scripts.
 */
function isolationHeaders(headers: PlainResponse['headers']): Record<string, string> {
  if (/^(?:application\/json|text\/plain)\b/i.test(headers['content-type'] ?? '')) return {}
  const own = headers['content-security-policy']
  const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts'
  return {
    'content-security-policy': own === undefined ? sandbox : `${own}, ${sandbox}`,
    'x-content-type-options': 'nosniff',
  }
}

/** Matches a path that needs no parsing. */
const plainPath = /^\/(?!\/)[\w/-]*$/

/** Returns the path of a URL, without dot segments, and its query. */
function parseUrl(url: string): { readonly pathname: string; readonly queryParams: Record<string, string | string[]> } {
  if (plainPath.test(url)) return { pathname: url, queryParams: {} }
  const { pathname, searchParams } = new URL(url, 'http://platform')
  return { pathname, queryParams: toFields(searchParams) }
}

/** Headers that callers of webhooks read in a browser. Their names never change. */
const exposedHeaders = 'x-webhook-id, x-engine-resume-webhook-url'

/** Returns the response to a preflight request, which allows everything. */
function preflight({ headers }: PlainRequest): PlainResponse {
  const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
  return {
    status: 204,
    headers: {
      allow: methods,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
      'access-control-max-age': '86400',
      vary: 'access-control-request-headers',
    },
    body: '',
  }
}

/**
 * Returns the response to a result. Callers are other systems, which act on its status: it never changes. The texts are
 * for people.
 */
function toResponse(result: ApprovalResult, origin: string): PlainResponse {
  switch (result.kind) {
    case 'unknown':
      return json(410, { message: 'Webhook not found.' })
    case 'disabled':
      return json(404, { message: 'The automation is disabled.' })
    case 'recorded':
      return json(200, { message: 'Your answer was recorded. You can close this page.' })
    case 'not_waiting':
      return json(409, { message: 'The run is not waiting for an approval yet.' })
    case 'used':
      return json(409, { message: 'This resume URL has already been used. Each URL resumes its run once.' })
    case 'ended':
      return json(409, { message: 'The run of this resume URL has ended.' })
    case 'ready':
      return json(200, {})
    case 'unauthorized':
      return json(401, { message: failures.unauthenticated.text })
    case 'throttled':
      return json(429, { message: failures.throttled.text }, { 'retry-after': String(result.seconds) })
    case 'behind':
      return json(
        503,
        { message: 'Too many runs of this account are waiting. Try again later.' },
        { 'retry-after': String(result.seconds) },
      )
    case 'sample_saved':
      return json(200, {})
    case 'accepted':
      return json(200, {}, { 'x-webhook-id': result.run })
    case 'no_answer':
      return { status: 204, headers: {}, body: '' }
    case 'failed':
      return json(500, { message: 'The automation failed.' }, { 'x-webhook-id': result.run })
    case 'answered': {
      const { status, headers, body, resume } = result.answer
      const isText = typeof body === 'string'
      return {
        status,
        headers: {
          'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
          ...allowedHeaders(headers),
          'x-webhook-id': result.run,
          ...(resume !== undefined && { 'x-engine-resume-webhook-url': `${origin}${callbackPath(resume)}` }),
        },
        body: status === 204 || status === 304 ? '' : isText ? body : stringifyJson(body ?? {}),
      }
    }
  }
}

/** Headers of the connection, which a flow cannot set. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'trailer',
])

function allowedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return Object.fromEntries(
    entries.filter(
      ([name, value]) => !connectionHeaders.has(name) && httpHeader.name.test(name) && httpHeader.value.test(value),
    ),
  )
}
