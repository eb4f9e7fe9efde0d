import type * as z from 'zod'
import { coerce, defaultOf, isNullable } from '../../../contract/endpoint/coerce.ts'
import { type Endpoint, inapplicableFields } from '../../../contract/endpoint/endpoint.ts'
import type { PlainRequest } from '../../../contract/endpoint/http-message.ts'
import { readOnlyFields } from '../../../contract/endpoint/read-only-fields.ts'
import { attachFiles, fileFields } from '../../../contract/endpoint/uploaded-files.ts'
import { validate } from '../../../contract/endpoint/validation.ts'
import { Failure, type FailureName, failures, invalidField } from '../../../contract/errors/failures.ts'
import { NumberOutOfRange, parseJson } from '../../../node/json.ts'

/** Maximum size of a request body in bytes. `too_large` of contract/errors/failures.ts says it, and documents of the command line have the same limit (`maxInputLength`). */
const maxBodyBytes = 2 * 1024 * 1024
/** Maximum size of a form with a file of 20 MB. */
const maxFormBytes = 21 * 1024 * 1024
/** Maximum size of sample data. */
const maxSampleDataBytes = 64 * 1024 * 1024

/** Returns the maximum size in bytes of the body of a request. */
export const bodyLimit = (url: string, isForm = false): number =>
  isForm ? maxFormBytes : /^\/control\/(?:seed|reset)(?:\?|$)/.test(url) ? maxSampleDataBytes : maxBodyBytes
/** Path prefix of the automations' webhooks. Other systems call them: it never changes. The request log (control/data-folder) has it too. */
export const webhookPathPrefix = '/automate/'
/** Maximum size of a webhook body in bytes. */
export const maxWebhookBodyBytes = 5 * 1024 * 1024

/** Returns the failure for a body above a limit in bytes. */
export const bodyTooLarge = (limit: number): Failure =>
  new Failure('too_large', { text: `The request body is larger than ${limit / 1024 / 1024} MB.` })

/** Returns the failure for a form that cannot be parsed. */
export const invalidForm = (): Failure =>
  new Failure('malformed', { text: 'The request body is not valid multipart/form-data.' })

/** Returns the failure of an endpoint whose resource does not exist, for a path with an invalid id. */
const notFoundFailure = (endpoint: Endpoint): FailureName =>
  endpoint.errors.find((it) => failures[it].status === 404) ?? 'no_route'

function validationFailure(
  endpoint: Endpoint,
  { errors, first }: { errors: Record<string, string[]>; first: string },
): Failure {
  const { validationMessage = 'The given data was invalid.' } = endpoint
  return new Failure('invalid', { text: validationMessage === 'first' ? first : validationMessage, errors })
}

/** Checks for unknown fields. @throws Failure that names them */
function requireKnownFields(kind: FailureName, given: readonly string[], body: z.ZodObject): void {
  const unknownNames = given.filter((it) => !Object.hasOwn(body.shape, it))
  if (unknownNames.length > 0)
    throw new Failure(kind, { text: failures[kind].text.replace('{fields}', () => listNames(unknownNames)) })
}

/** Maximum number of unknown fields that a response names. */
const maxUnknownNames = 20

/** Returns names as a list, of which a few are enough to find the mistake. */
const listNames = (names: readonly string[]): string =>
  [
    ...names.slice(0, maxUnknownNames),
    ...(names.length > maxUnknownNames ? [`and ${names.length - maxUnknownNames} more`] : []),
  ].join(', ')

function readJson(request: PlainRequest, schema: z.ZodObject): unknown {
  const { body, files, url } = request
  if (body === undefined || body === '') return {}
  const given = request.headers['content-type'] ?? ''
  if (/^multipart\/form-data\b/i.test(given) && fileFields(schema).length > 0) {
    // A form that came through a socket was parsed there.
    if (!files) throw invalidForm()
    return readForm(body, files, schema)
  }
  if (!/^application\/(json|[\w.+-]+\+json)\b/i.test(given)) throw new Failure('not_json')
  const limit = bodyLimit(url)
  if (body.length > limit || Buffer.byteLength(body) > limit) throw bodyTooLarge(limit)
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof NumberOutOfRange)
      throw new Failure('malformed', { text: `${failures.malformed.text} ${error.message}` })
    throw new Failure('malformed')
  }
}

/** Returns the fields of a form, which are texts, as values of the schema. An empty field is omitted. */
function readForm(body: string, files: readonly File[], { shape }: z.ZodObject): unknown {
  const fields = attachFiles(parseJson(body) as Record<string, unknown>, files)
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [
        name,
        typeof value === 'string' && Object.hasOwn(shape, name) ? coerce(shape[name] as z.ZodType, value) : value,
      ]),
  )
}

function coerceAll(schema: z.ZodObject, texts: Iterable<[string, string | undefined]>): Record<string, unknown> {
  const shape = schema.shape as Record<string, z.ZodType>
  const values: Record<string, unknown> = {}
  for (const [name, text] of texts)
    if (text !== undefined) values[name] = shape[name] ? coerce(shape[name], text) : text
  return values
}

/**
 * Collects list parameters such as `type[]=a` and `type[0]=a`, as deployments accept them. Only known names are
 * included, and validation rejects lists where none is allowed.
 */
function arrayParameters(
  given: readonly [string, string][],
  shape: Readonly<Record<string, unknown>>,
): Record<string, string[]> {
  const lists = new Map<string, string[]>()
  for (const [name, text] of given) {
    const [, known = ''] = /^(\w+)\[/.exec(name) ?? []
    if (Object.hasOwn(shape, known)) lists.set(known, [...(lists.get(known) ?? []), text])
  }
  return Object.fromEntries(lists)
}

/** The conditional fields of a body: those that do not apply are ignored, whatever their values are. */
interface ReadConditions {
  /** Returns the value of the stored record on which they depend. Called only if the body leaves the question open. */
  readonly stored?: (() => Promise<unknown>) | undefined
  /** Receives the names of ignored fields. */
  readonly onIgnored?: (names: readonly string[]) => void
}

/**
 * Returns the validated input of an endpoint: path, query and body in one object, without the body fields that do not
 * apply. @throws Failure 400, 404, 413, 415, 422
 */
export async function readInput(
  endpoint: Endpoint,
  request: PlainRequest,
  params: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams | undefined,
  { stored, onIgnored }: ReadConditions = {},
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  if (endpoint.params) {
    const checked = validate(endpoint.params, coerceAll(endpoint.params, Object.entries(params)))
    if (!checked.ok) throw new Failure(notFoundFailure(endpoint))
    Object.assign(input, checked.value)
  }
  if (endpoint.query) {
    // Unknown parameters are ignored, as deployments do, because caches and proxies add some.
    const shape = endpoint.query.shape
    const { oldParameters = {} } = endpoint
    const given = [...(query ?? [])].map(([name, text]): [string, string] => [oldParameters[name] ?? name, text])
    const known = given.filter(([name, text]) => Object.hasOwn(shape, name) && text !== '')
    const lists = { ...repeatedParameters(known), ...arrayParameters(given, shape) }
    const checked = validate(endpoint.query, { ...coerceAll(endpoint.query, known), ...lists })
    if (!checked.ok) throw validationFailure(endpoint, checked)
    Object.assign(input, checked.value)
  }
  if (endpoint.body) {
    const body = readJson(request, endpoint.body)
    requireObject(body)
    if (endpoint.unknownFieldsError)
      requireKnownFields(endpoint.unknownFieldsError, Object.keys(body ?? {}), endpoint.body)
    const outside = await inapplicableIn(endpoint, (body ?? {}) as Readonly<Record<string, unknown>>, stored)
    const applicable =
      outside.length === 0 || endpoint.conditionalFields?.isValidated
        ? body
        : Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !outside.includes(name)))
    // A field without a value sets nothing.
    const ignored = outside.filter(
      (name) =>
        (body as Readonly<Record<string, unknown>>)[name] !== null ||
        !isNullable(endpoint.body?.shape[name] as z.ZodType),
    )
    if (ignored.length > 0) onIgnored?.(ignored)
    Object.assign(input, readBodyFields(endpoint, endpoint.body, applicable))
  }
  return input
}

/** @throws Failure 422 for a body that is neither an object nor null, which is one without fields */
function requireObject(body: unknown): void {
  if (Array.isArray(body) || typeof body !== 'object')
    throw invalidField('body', 'The request body must be a JSON object.')
}

/** Returns the fields of a body, validated and with defaults. @throws Failure 422 as the endpoint refuses a body */
export function readBodyFields<S extends z.ZodObject>(endpoint: Endpoint, schema: S, body: unknown): z.output<S> {
  requireObject(body)
  const checked = validate(schema, body, readOnlyFields(endpoint))
  if (!checked.ok) throw validationFailure(endpoint, checked)
  return checked.value
}

/** Returns the given fields that do not apply with the value in the body, in the stored record or by default. */
async function inapplicableIn(
  { conditionalFields: table, body }: Endpoint,
  given: Readonly<Record<string, unknown>>,
  stored: ReadConditions['stored'],
): Promise<string[]> {
  const conditional = Object.keys(table?.fields ?? {}).filter((name) => Object.hasOwn(given, name))
  if (!table || conditional.length === 0) return []
  const by = body?.shape[table.by] as z.ZodType | undefined
  const value = (by && given[table.by]) ?? (await stored?.()) ?? (by && defaultOf(by))
  const inapplicable = new Set(inapplicableFields(table, value))
  return conditional.filter((name) => inapplicable.has(name))
}

/** Collects parameters that are given more than once. Validation rejects them where no list is allowed. */
function repeatedParameters(given: readonly [string, string][]): Record<string, string[]> {
  const lists: Record<string, string[]> = {}
  for (const [name, text] of given) (lists[name] ??= []).push(text)
  return Object.fromEntries(Object.entries(lists).filter(([, texts]) => texts.length > 1))
}
