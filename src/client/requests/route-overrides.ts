import type { Codec } from '../../contract/vocabulary/vocabulary.ts'
import { isObject } from '../response-body.ts'

type Fields = Readonly<Record<string, unknown>>
type Names = Readonly<Record<string, string>>

/** Where a deployment puts an endpoint elsewhere, or names what it takes differently. */
export interface RouteOverride {
  /** Path below the base URL, parameters in braces as in the contract. */
  readonly path?: string
  /** Query names of the contract, and what the deployment calls them. */
  readonly query?: Names
  /** Fields of the body, likewise. */
  readonly body?: Names
}

/** By endpoint name: `{ 'numbers.search': { query: { contains: 'pattern' } } }`. */
export type RouteOverrides = Readonly<Record<string, RouteOverride>>

/** Path and names of an endpoint at one deployment. */
export function routeOf(
  endpoint: { readonly name: string; readonly path: string },
  routes: RouteOverrides = {},
): RouteOverride & { readonly path: string } {
  const other = Object.hasOwn(routes, endpoint.name) ? routes[endpoint.name] : undefined
  return { path: endpoint.path, ...other }
}

/** Fields as the deployment takes them: in its words, and under the names it has for them here. */
export function toDeploymentFields(fields: Fields, names: Names | undefined, codec: Codec | undefined): Fields {
  const translated = codec ? codec.outgoing(fields) : fields
  if (!names) return translated
  const entries = Object.entries(translated)
  return Object.fromEntries(
    Object.keys(fields).map((name, n) => [Object.hasOwn(names, name) ? names[name] : entries[n]?.[0], entries[n]?.[1]]),
  )
}

/** A refusal whose fields go by our names again. */
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
