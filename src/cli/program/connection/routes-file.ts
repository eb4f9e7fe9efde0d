import { resolve } from 'node:path'
import type { RouteOverride, RouteOverrides } from '../../../client/requests/route-overrides.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import { usageError } from '../errors/usage-error.ts'
import type { System } from '../system.ts'
import { readObjectFile } from './vocabulary-file.ts'

/**
 * Reads route overrides of a deployment from a JSON or YAML file. Loads the whole contract. @throws ClientFailure
 * `usage`
 */
export async function readRoutes(system: Pick<System, 'cwd'>, file: string): Promise<RouteOverrides> {
  const given = await readObjectFile(resolve(system.cwd, file), 'routes file')
  const { endpoints } = await import('../../../contract/resources/index.ts')
  for (const [name, route] of Object.entries(given)) {
    const endpoint = endpoints.find((it) => it.name === name)
    const guess = closestMatch(
      name,
      endpoints.map((it) => it.name),
    )
    if (!endpoint)
      throw usageError(
        `Unknown endpoint "${name}".${guess ? ` Did you mean "${guess}"?` : ''}`,
        'List them: parley api --list.',
      )
    const why = routeProblem(endpoint, route as RouteOverride)
    if (why !== undefined) throw usageError(`Invalid route for ${name}: ${why}.`, 'See: parley help vocabulary.')
  }
  return given as RouteOverrides
}

const parametersOf = (path: string): string =>
  [...path.matchAll(/\{(\w+)\}/g)]
    .map((it) => it[1])
    .sort()
    .join(', ')

function routeProblem(endpoint: Endpoint, route: unknown): string | undefined {
  if (!isObject(route)) return 'it must be an object'
  const { path, query, body, ...others } = route as Record<string, unknown>
  const [stray] = Object.keys(others)
  if (stray !== undefined) return `unknown key "${stray}"; use path, query and body`
  if (path !== undefined && (typeof path !== 'string' || !/^\/[^\s?#]*$/.test(path)))
    return 'its path must start with a slash and have no query'
  if (typeof path === 'string' && parametersOf(path) !== parametersOf(endpoint.path))
    return `its path must have ${parametersOf(endpoint.path) || 'no parameters'}, like ${endpoint.path}`
  return nameProblem('query', query, endpoint.query?.shape) ?? nameProblem('body', body, endpoint.body?.shape)
}

function nameProblem(where: string, names: unknown, shape: object | undefined): string | undefined {
  if (names === undefined) return undefined
  if (!isObject(names)) return `its ${where} must be an object of names`
  for (const [name, wireName] of Object.entries(names)) {
    if (!shape || !Object.hasOwn(shape, name)) return `unknown name "${name}" in its ${where}`
    if (typeof wireName !== 'string' || wireName === '') return `"${name}" in its ${where} must map to a name`
  }
  const wires = Object.values(names)
  return wires.some((it, n) => wires.indexOf(it) !== n) ? `two names in its ${where} map to the same name` : undefined
}
