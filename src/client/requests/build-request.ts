import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { PlainRequest } from '../../contract/mechanics/http-message.ts'
import type { Codec } from '../../contract/vocabulary/vocabulary.ts'
import { usageFailure } from '../failures/client-failure.ts'
import { type RouteOverrides, routeOf, toDeploymentFields } from './route-overrides.ts'

/** How a deployment differs from the contract. */
export interface DeploymentFormat {
  readonly codec?: Codec
  readonly routes?: RouteOverrides
}

type Fields = Record<string, unknown>

/**
 * An endpoint and its flat input as a request without credentials: path parameters filled in, the rest in the query or in a JSON body.
 * Only what was given is sent; a field the contract does not know goes along, where the others go.
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
  if (body) headers['content-type'] = 'application/json'
  return {
    method: endpoint.method,
    url: search ? `${path}?${search}` : path,
    headers,
    ...(body && { body: toJson(() => toDeploymentFields(body, route.body, codec)) }),
  }
}

/** Parsing takes any depth, writing does not. */
function toJson(body: () => unknown): string {
  try {
    return JSON.stringify(body())
  } catch (error) {
    if (error instanceof RangeError)
      throw usageFailure('too_deep', 'The request body is nested too deeply. Nothing was sent.')
    throw error
  }
}

function encodeSegment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
  if (text === '') throw usageFailure('invalid_path', `Missing ${name}.`)
  // A URL parser folds these away, encoded or not, and the request would land on another endpoint.
  if (text === '.' || text === '..') throw usageFailure('invalid_path', `Invalid ${name} "${text}".`)
  return encoded(name, text)
}

/** Halves of a surrogate pair have no encoding. */
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

/** Booleans as 1 and 0: the one spelling that every deployment's validation takes in a query. */
function toText(value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
