import type { PlainRequest } from '../../../contract/endpoint/http-message.ts'
import { Failure } from '../../../contract/errors/failures.ts'

/** One row of the generated route table: method, path with `{names}`, resource, verb, and the capability of an extension. */
export type Route = readonly [method: string, path: string, resource: string, verb: string, capability?: string]

/** The endpoint of a request. */
export interface Match {
  readonly resource: string
  readonly verb: string
  readonly params: Readonly<Record<string, string>>
}

/** A node of the route tree: its literal segments, its parameter, and its endpoint. */
interface RouteNode {
  readonly literals: Map<string, RouteNode>
  parameter?: RouteNode
  endpoint?: { readonly resource: string; readonly verb: string; readonly names: readonly string[] }
}

/** Maximum length of a path parameter. */
const maxParameterLength = 500

/**
 * Creates the function that finds the endpoint of a request. Literal segments take precedence over parameters, and one
 * trailing slash is ignored. `methods` are those the path exists with, empty for an unknown path. Building
 * find-my-way's tables would take longer than a whole command may.
 */
export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => Match | { readonly methods: readonly string[] } {
  const trees = new Map<string, RouteNode>()
  for (const [method, path, resource, verb] of routes) {
    let step = getOrCreate(trees, method, createNode)
    const names: string[] = []
    for (const segment of path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        names.push(segment.slice(1, -1))
        step.parameter ??= createNode()
        step = step.parameter
      } else step = getOrCreate(step.literals, segment, createNode)
    }
    step.endpoint = { resource, verb, names }
  }
  return (method, path) => {
    const segments = (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')
    const tree = trees.get(method)
    const values: string[] = []
    const end = tree && matchSegments(tree, segments, 0, values)
    if (!end)
      return {
        methods: [...trees].flatMap(([name, tree]) =>
          name !== method && matchSegments(tree, segments, 0, []) !== undefined ? [name] : [],
        ),
      }
    const params: Record<string, string> = {}
    for (const [n, name] of end.names.entries()) params[name] = values[n] ?? ''
    return { resource: end.resource, verb: end.verb, params }
  }
}

/** Matches the segments from index `at`. `values` collects the values of parameters. */
function matchSegments(
  step: RouteNode,
  segments: readonly string[],
  at: number,
  values: string[],
): RouteNode['endpoint'] {
  const segment = segments[at]
  if (segment === undefined) return step.endpoint
  const word = step.literals.get(segment)
  const found = word && matchSegments(word, segments, at + 1, values)
  if (found || !step.parameter) return found
  const value = decodeSegment(segment)
  if (value === undefined) return undefined
  values.push(value)
  const end = matchSegments(step.parameter, segments, at + 1, values)
  if (!end) values.pop()
  return end
}

/** Decodes a segment; undefined when it is empty, too long or has invalid escapes. */
function decodeSegment(segment: string): string | undefined {
  if (segment === '' || segment.length > maxParameterLength) return undefined
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const createNode = (): RouteNode => ({ literals: new Map() })

function getOrCreate<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Returns a 405 that lists the methods of the path in `Allow` (RFC 9110). Every path with GET also has HEAD. */
export function methodNotAllowed(methods: readonly string[]): Failure {
  const order = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : [...methods]
  return new Failure('wrong_method', {
    headers: { allow: all.sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(', ') },
  })
}

/** Returns the origin of a request: the public URL of the server if it has one. A proxy with TLS sets the scheme header. */
export function originOf({ headers, origin }: PlainRequest): string {
  if (origin !== undefined) return origin
  return headers.host === undefined
    ? ''
    : `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${headers.host}`
}

/** Returns the path of a URL, and its query without the question mark if it has one. */
export function splitUrl(url: string): [string, string | undefined] {
  const at = url.indexOf('?')
  return at < 0 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)]
}
