import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import type { PlainRequest } from '../../contract/endpoint/http-message.ts'
import { filePlaceholder, isFile } from '../../contract/endpoint/uploaded-files.ts'
import type { Codec } from '../../contract/vocabulary/vocabulary.ts'
import { stringifyJson } from '../../node/json.ts'
import { usageFailure } from '../failures/client-failure.ts'
import { type RouteOverrides, routeOf, toDeploymentFields } from './route-overrides.ts'

/** The differences between a deployment and the contract. */
export interface DeploymentFormat {
  readonly codec?: Codec
  readonly routes?: RouteOverrides
}

type Fields = Record<string, unknown>

/**
 * Builds the request of an endpoint from its flat input, without credentials. Path parameters are filled in; the rest goes
 * into the query or a JSON body. Only given fields are sent, including unknown ones. A field that the query and the body both
 * have goes into the body. Plans for approval have the path and the body as text.
 * @throws ClientFailure `usage` for a path parameter that is missing, empty or a dot segment
 */
export function buildRequest(
  endpoint: Endpoint,
  input: unknown,
  { codec, routes }: DeploymentFormat = {},
): PlainRequest {
  const route = routeOf(endpoint, routes)
  const rest: Fields = { ...(input as Fields) }
  const path = (codec?.path(route.path) ?? route.path).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeSegment(name, codec ? codec.value(name, value) : value)
  })
  const { query, body } = split(endpoint, rest)
  const search = toSearch(toDeploymentFields(query, route.query, codec))
  const headers: Record<string, string> = { accept: 'application/json' }
  // Before the body is translated and serialized, which needs values that represent the files.
  const files = body ? takeFiles(body) : []
  if (body) headers['content-type'] = files.length > 0 ? 'multipart/form-data' : 'application/json'
  return {
    method: endpoint.method,
    url: search ? `${path}?${search}` : path,
    headers,
    ...(files.length > 0 && { files }),
    ...(body && { body: toJson(() => toDeploymentFields(body, route.body, codec)) }),
  }
}

/** Replaces the files in a body by values that represent them, and returns the files. */
function takeFiles(body: Fields): File[] {
  const files: File[] = []
  for (const [name, value] of Object.entries(body)) {
    if (!isFile(value)) continue
    files.push(value)
    body[name] = filePlaceholder(value)
  }
  return files
}

/** Serializes a body. JSON can be parsed at any depth, but not serialized. */
function toJson(body: () => unknown): string {
  try {
    return stringifyJson(body())
  } catch (error) {
    if (error instanceof RangeError)
      throw usageFailure('too_deep', 'The request body is nested too deeply. Nothing was sent.')
    throw error
  }
}

function encodeSegment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
  if (text === '')
    throw usageFailure(
      'invalid_path',
      `Missing ${name}.`,
      `Pass it with the other fields, for example --data '{${name}: 1}'.`,
    )
  // URL parsers remove dot segments even if they are encoded, so the request would reach another endpoint.
  if (text === '.' || text === '..') throw usageFailure('invalid_path', `Invalid ${name} "${text}".`)
  return encoded(name, text)
}

/** Encodes a text for a URL. Half a surrogate pair cannot be encoded. */
function encoded(name: string, text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw usageFailure('invalid_path', `Invalid ${name}: it contains a broken character.`)
  }
}

function split(endpoint: Endpoint, fields: Fields): { query: Fields; body?: Fields } {
  const query: Fields = {}
  const body: Fields = {}
  const hasBody = endpoint.body !== undefined
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    const inQuery =
      !hasBody ||
      (endpoint.query !== undefined &&
        Object.hasOwn(endpoint.query.shape, name) &&
        !Object.hasOwn(endpoint.body?.shape ?? {}, name))
    Object.assign(inQuery ? query : body, { [name]: value })
  }
  return hasBody ? { query, body } : { query }
}

function toSearch(fields: Readonly<Fields>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encoded(name, name)}=${encoded(name, toText(value))}`)
    .join('&')
}

/** Returns a query value as text. Booleans are 1 and 0, the only form that every deployment accepts in a query. */
function toText(value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'object' ? stringifyJson(value) : String(value)
}
