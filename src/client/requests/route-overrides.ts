import { isObject } from '../../contract/values/json-object.ts'
import type { Codec } from '../../contract/vocabulary/vocabulary.ts'

type Fields = Readonly<Record<string, unknown>>
type Names = Readonly<Record<string, string>>

/**
 * The differences of an endpoint at a deployment: its path or the names of its fields. Profiles of users have it: fields
 * are added, not renamed.
 */
export interface RouteOverride {
  /** Path below the base URL, with parameters in braces as in the contract. */
  readonly path?: string
  /** Names of query parameters: the contract's name to the deployment's. */
  readonly query?: Names
  /** Names of body fields: the contract's name to the deployment's. */
  readonly body?: Names
}

/** Overrides by endpoint name: `{ 'numbers.search': { query: { contains: 'pattern' } } }`. */
export type RouteOverrides = Readonly<Record<string, RouteOverride>>

/** Returns the path and names of an endpoint at a deployment. */
export function routeOf(
  endpoint: { readonly name: string; readonly path: string },
  routes: RouteOverrides = {},
): RouteOverride & { readonly path: string } {
  const other = Object.hasOwn(routes, endpoint.name) ? routes[endpoint.name] : undefined
  return { path: endpoint.path, ...other }
}

/**
 * Returns fields in the vocabulary of the deployment and under its names for this endpoint. The names are matched by
 * position: a codec returns one field for each, in the same order.
 */
export function toDeploymentFields(fields: Fields, names: Names | undefined, codec: Codec | undefined): Fields {
  const translated = codec ? codec.outgoing(fields) : fields
  if (!names) return translated
  const entries = Object.entries(translated)
  return Object.fromEntries(
    Object.keys(fields).map((name, n) => [Object.hasOwn(names, name) ? names[name] : entries[n]?.[0], entries[n]?.[1]]),
  )
}

/** Returns a refusal with the field names of the contract. */
export function toContractNames(body: unknown, { query, body: fields }: RouteOverride): unknown {
  if ((!query && !fields) || !isObject(body) || !isObject(body.errors)) return body
  const own = Object.fromEntries(Object.entries({ ...query, ...fields }).map(([name, theirs]) => [theirs, name]))
  const ownName = (path: string): string => {
    const [first = '', ...rest] = path.split('.')
    return [Object.hasOwn(own, first) ? own[first] : first, ...rest].join('.')
  }
  return {
    ...body,
    errors: Object.fromEntries(Object.entries(body.errors).map(([path, texts]) => [ownName(path), texts])),
  }
}
