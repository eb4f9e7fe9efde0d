import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import { assumedHeader } from '../../contract/endpoint/headers.ts'
import type { PlainResponse } from '../../contract/endpoint/http-message.ts'
import type { ExitName, FailureKind } from '../../contract/errors/exit-codes.ts'
import { type FailureName, failures, wireCode } from '../../contract/errors/failures.ts'
import { formatDuration } from '../../contract/values/duration.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { type ResponseBody, readBody } from '../response-body.ts'
import { isCertainlyRejected, isClockFrozen, readRetryAfter } from '../retry-policy.ts'
import { localPlatform } from '../transport/platform-address.ts'
import { ClientFailure, type FailureDetail, reconcileCommands } from './client-failure.ts'
import { isOutcomeAnswer } from './outcome-answer.ts'
import { platformAtStart, platformName } from './platform-name.ts'
import { checkOutcomeHint, isOutcomeUncertain } from './uncertain-writes.ts'

/** The content of an error response, independent of which of the six forms in section 7.1 of the specification it has. */
interface ErrorEnvelope {
  readonly text?: string
  readonly code?: string
  readonly details: readonly FailureDetail[]
}

const isCode = (text: string): boolean => /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/.test(text)
const textOf = (it: unknown): string | undefined => (typeof it === 'string' && it.trim() !== '' ? it.trim() : undefined)

/** Parses the body of an error response. Returns undefined for other forms, which say nothing about what was done. */
function parseErrorEnvelope(body: unknown): ErrorEnvelope | undefined {
  if (!isObject(body)) return undefined
  if (isObject(body.error)) return parseErrorEnvelope({ ...body, ...body.error, error: body.error.error })
  const message = textOf(body.message)
  const error = textOf(body.error)
  const details = readDetails(body.errors)
  const text = message ?? error
  if (text === undefined && details.length === 0) return undefined
  const code =
    textOf(body.error_code) ??
    textOf(body.code) ??
    (message !== undefined && error !== undefined && isCode(error) ? error : undefined)
  return { ...(text !== undefined && { text }), ...(code !== undefined && { code }), details }
}

/** Parses `{field: [text]}` and similar forms: `{field: text}`, `[{field, message}]`, `[text]`. */
function readDetails(errors: unknown): FailureDetail[] {
  if (Array.isArray(errors))
    return errors.flatMap((it) => (isObject(it) ? detail(it.path ?? it.field, it.message) : detail('', it)))
  if (!isObject(errors)) return []
  return Object.entries(errors).flatMap(([path, texts]) =>
    (Array.isArray(texts) ? texts : [texts]).flatMap((it) => detail(path, it)),
  )
}

function detail(path: unknown, message: unknown): FailureDetail[] {
  const text = textOf(message)
  return text === undefined
    ? []
    : [{ path: typeof path === 'string' ? path : Array.isArray(path) ? path.join('.') : '', message: text }]
}

/** The context of a response, for messages and hints. */
interface ResponseContext {
  /** The base URL, for messages. */
  readonly base: string
  readonly requestId?: string
  /** Current time in milliseconds, for a Retry-After that is a date. */
  readonly now: number
  /** The body, if it was read (and translated) already. */
  readonly body?: ResponseBody
  /** Method and path of the request, without the query. */
  readonly request?: { readonly method: string; readonly path: string }
  /** Name of the vocabulary of the request. */
  readonly vocabulary?: string
  /** Whether the platform advertises that it honors `Idempotency-Key`. */
  readonly isIdempotent?: boolean
  /** Whether the request only queries the outcome of an earlier one. */
  readonly isOutcomeQuery?: boolean
  /** Set if the request may have been carried out although the platform rejected it. */
  readonly unclear?: Unclear
  /** A phrase for the required part that a successful response lacks. */
  readonly missing?: string
}

/** Why it is not known whether a rejected write was carried out, as a sentence or empty, and commands to check it. */
export interface Unclear {
  readonly unclear: string
  readonly next?: readonly string[]
}

const kinds: Readonly<Record<string, FailureKind>> = failures

/**
 * Returns the failure for a response with an error status, or for a successful response with an invalid body. For a billable
 * operation, a response that does not clearly say "refused" gives exit `unknown`, because money may have been spent. Scripts
 * read the code, also `outcome_unknown`, `unexpected_answer` and `http_<status>`, which only the client makes: none is
 * renamed.
 */
export function failureFromResponse(
  endpoint: Endpoint,
  response: PlainResponse,
  context: ResponseContext,
): ClientFailure {
  const { status, headers } = response
  const body = context.body ?? readBody(response)
  const json = 'json' in body ? body.json : undefined
  const ok = status >= 200 && status < 300
  const envelope = ok ? undefined : parseErrorEnvelope(json)
  const name = envelope && matchFailure(endpoint, status, envelope)
  const kind = name === undefined ? undefined : kinds[name]
  const retryAfter = readRetryAfter(headers, json, context.now)
  const parts = {
    status,
    sent: true,
    details: envelope?.details ?? [],
    ...(context.requestId !== undefined && { requestId: context.requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
  }
  const isPathUnknown = status === 404 && isUnknownPath(endpoint, name, envelope, 'json' in body)
  const code =
    envelope?.code ??
    (name === undefined ? undefined : wireCode(name)) ??
    (ok ? 'unexpected_answer' : isPathUnknown ? wireCode('no_route') : `http_${status}`)
  const message =
    (isPathUnknown ? unknownPathMessage(context) : undefined) ??
    envelope?.text ??
    (envelope ? firstDetail(envelope) : undefined) ??
    describe(response, body, context)

  const isUncertain429 = status === 429 && !isCertainlyRejected(endpoint, { headers, retryAfter }, context.isIdempotent)
  const isRefused = context.isOutcomeQuery
    ? isOutcomeAnswer(endpoint, response, name)
    : isRefusal(endpoint, status, envelope, name)
  if (endpoint.risk === 'spends' && (isUncertain429 || !isRefused)) {
    return new ClientFailure({
      ...parts,
      exit: 'unknown',
      code: 'outcome_unknown',
      message: `${asSentence(message)} The outcome of the request is unknown.`,
      hint: 'Check the outcome before you repeat it: parley ops reconcile.',
      next: reconcileCommands,
    })
  }
  if (context.unclear)
    return new ClientFailure({
      ...parts,
      exit: 'unknown',
      code: 'outcome_unknown',
      message: [asSentence(message), 'The request may have been carried out.', context.unclear.unclear]
        .filter((it) => it !== '')
        .join(' '),
      hint: checkOutcomeHint(endpoint),
      ...(context.unclear.next && { next: context.unclear.next }),
    })
  const mayBeDone =
    endpoint.risk !== 'read' &&
    endpoint.risk !== 'spends' &&
    (ok || (isOutcomeUncertain(status) && (name === undefined || !endpoint.errors.includes(name))))
  const hint = mayBeDone
    ? checkOutcomeHint(endpoint)
    : hintFor(response, kind, { ...context, isPathUnknown, retryAfter }, 'json' in body)
  return new ClientFailure({
    ...parts,
    exit: kind?.exit ?? exitOf(status),
    code,
    message,
    ...(hint !== undefined && { hint }),
  })
}

/**
 * Finds the catalogue entry of an error: first among the endpoint's errors by status and text, then by text, then in
 * the whole catalogue by text.
 */
function matchFailure(endpoint: Endpoint, status: number, said: ErrorEnvelope): FailureName | undefined {
  const hasCode = (name: FailureName): boolean =>
    said.code !== undefined && hasWireCode(name) && wireCode(name) === said.code
  const means = (name: FailureName): boolean => hasCode(name) || matchesText(said.text, kinds[name]?.text)
  const nearest = (names: readonly FailureName[]): FailureName | undefined =>
    names.find((name) => kinds[name]?.status === status) ?? names[0]
  return (
    nearest(endpoint.errors.filter(means)) ??
    // Failures of any endpoint, such as those of keys, have no resource in their name.
    nearest((Object.keys(failures) as FailureName[]).filter((name) => !name.includes('.') && hasCode(name))) ??
    nearest((Object.keys(failures) as FailureName[]).filter((name) => matchesText(said.text, kinds[name]?.text))) ??
    (status === 422 && said.details.length > 0 ? 'invalid' : undefined)
  )
}

const hasWireCode = (name: FailureName): boolean =>
  kinds[name]?.envelope === 'messaging' || kinds[name]?.envelope === 'automation'
const normalizeText = (text: string): string => text.trim().replace(/\.$/, '').toLowerCase()

/** Returns whether a text is the catalogue's. Placeholders in braces match any text. */
function matchesText(said: string | undefined, words: string | undefined): boolean {
  if (said === undefined || words === undefined) return false
  const known = comparisons.get(words) ?? compareWith(words)
  comparisons.set(words, known)
  return known(normalizeText(said))
}

/** Comparisons with the texts of the catalogue, which every error response is compared with. */
const comparisons = new Map<string, (said: string) => boolean>()

function compareWith(words: string): (said: string) => boolean {
  const parts = normalizeText(words).split(/\{\w+\}/)
  if (parts.length === 1) return (said) => said === parts[0]
  const pattern = new RegExp(`^${parts.map((it) => it.replaceAll(/[^\w\s]/g, '\\$&')).join('.*')}$`, 's')
  return (said) => pattern.test(said)
}

/** Returns whether a 404 means that the path does not exist, rather than the resource. */
function isUnknownPath(
  endpoint: Endpoint,
  name: FailureName | undefined,
  said: ErrorEnvelope | undefined,
  isJson: boolean,
): boolean {
  if (name !== undefined) return name === 'no_route'
  // The wording of Laravel, which deployments are built on.
  if (/^the route .* could not be found/i.test(said?.text ?? '')) return true
  return (
    !isJson ||
    (endpoint.params === undefined &&
      endpoint.method === 'GET' &&
      endpoint.errors.every((it) => kinds[it]?.status !== 404))
  )
}

/** Returns a message that names the unknown path and the vocabulary it was spelled in. */
function unknownPathMessage({ base, request, vocabulary }: ResponseContext): string | undefined {
  if (!request) return undefined
  return `${platformAtStart(base)} has no ${request.method} ${request.path} (404)${vocabulary === undefined ? '' : `, a path of the ${vocabulary} vocabulary`}.`
}

/** Returns the target of a redirect without parts that may be secret: user information, query and fragment. */
const redactLocation = (location: string): string =>
  location.replace(/[?#].*$/s, '').replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1')

/**
 * Statuses that prove that the request was rejected, whichever server sent them. A wrong one would let a paid request be sent
 * twice.
 */
const rejectedStatuses: ReadonlySet<number> = new Set([401, 404, 405, 407, 411, 413, 414, 415, 421, 429, 431])

function isRefusal(
  endpoint: Endpoint,
  status: number,
  said: ErrorEnvelope | undefined,
  name: FailureName | undefined,
): boolean {
  if (name !== undefined && endpoint.errors.includes(name)) return true
  if (status < 400 || status >= 500) return false
  // The first request with this key is still in progress, or was abandoned.
  if (name === 'idempotency_busy' || name === 'idempotency_interrupted' || status === 408) return false
  return said !== undefined || rejectedStatuses.has(status)
}

function exitOf(status: number): ExitName {
  if (status === 407) return 'connection'
  if (status === 401 || status === 403) return 'auth'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 409 || status === 412) return 'conflict'
  if (status === 402) return 'payment'
  if (status === 429) return 'rate_limited'
  if (isOutcomeUncertain(status)) return 'platform'
  return status >= 400 && status < 500 ? 'rejected' : 'platform'
}

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
const firstDetail = (said: ErrorEnvelope): string | undefined => said.details[0]?.message

function describe(
  { status, headers, body: text }: PlainResponse,
  body: ResponseBody,
  { base, missing }: ResponseContext,
): string {
  const type = headers['content-type']?.split(';')[0]?.trim() || 'no content type'
  if (missing !== undefined) return `${platformAtStart(base)} returned ${status} without ${missing}.`
  if (status >= 300 && status < 400 && headers.location !== undefined)
    return `${platformAtStart(base)} returned ${status}, a redirect to ${redactLocation(headers.location)}.`
  if (status === 407) return `The proxy of ${platformName(base)} requires a user name and password (407).`
  if ('json' in body) return `${platformAtStart(base)} returned ${status}.`
  if (body.fault === 'empty') return `${platformAtStart(base)} returned ${status} with an empty body.`
  if (body.fault === 'cut') return `${platformAtStart(base)} returned ${status} with incomplete JSON.`
  const words = firstWords(text)
  return `${platformAtStart(base)} returned ${status} with ${type} instead of JSON${words ? `: "${words}"` : '.'}`
}

/** Returns the first visible text of an HTML error page or of any other text, at most 80 characters. */
function firstWords(text: string): string {
  const head = text.slice(0, 4000)
  const words = (
    /<title[^>]*>([^<]+)/i.exec(head)?.[1] ??
    head.replace(/<(script|style)\b[\s\S]*?(<\/\1>|$)/gi, ' ').replace(/<[^>]*>?/g, ' ')
  )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ')
    .trim()
  return words.length > 80 ? `${words.slice(0, 79)}…` : words
}

/** Says how long the platform asks to wait; undefined if it does not. */
const waitHint = (seconds: number | undefined): string | undefined =>
  seconds === undefined || seconds <= 0 ? undefined : `Wait ${formatDuration(Math.ceil(seconds))}, then try again.`

function hintFor(
  response: PlainResponse,
  kind: FailureKind | undefined,
  {
    base,
    missing,
    vocabulary,
    isPathUnknown,
    retryAfter,
  }: ResponseContext & { readonly isPathUnknown: boolean; readonly retryAfter: number | undefined },
  isJson: boolean,
): string | undefined {
  const { status, headers } = response
  if (status === 429 && isClockFrozen(headers))
    return 'The clock of the platform is frozen, so waiting does not help. Advance it: parley server clock advance 1m.'
  if (status >= 300 && status < 400)
    return `If ${headers.location === undefined ? 'the new address' : redactLocation(headers.location)} is the platform, pass it as --base-url.`
  if (status === 407)
    return 'Add them to HTTP_PROXY or HTTPS_PROXY: http://name:password@host:port. To exempt hosts, set NO_PROXY.'
  if (status === 404 && /\/api\/?$/.test(base))
    return 'Remove /api from the base URL. Every path already starts with it.'
  if (isPathUnknown && base !== localPlatform)
    return `Check --base-url${vocabulary === undefined ? '.' : ` and the vocabulary of the profile (parley help vocabulary). "parley doctor" detects the vocabulary of the deployment.`}`
  if (status === 429 && waitHint(retryAfter) !== undefined) return waitHint(retryAfter)
  if (kind?.hint !== undefined) return kind.hint
  if ((!isJson || missing !== undefined) && status < 500)
    return headers[assumedHeader] !== undefined || base === localPlatform
      ? 'It may be caused by a fault rule: parley server faults list.'
      : 'Check that --base-url is the address of the platform.'
  if (status === 401) return failures.unauthenticated.hint
  return status === 429 ? (waitHint(retryAfter) ?? failures.throttled.hint) : undefined
}
