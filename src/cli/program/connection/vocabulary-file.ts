import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RouteOverride, RouteOverrides } from '../../../client/requests/route-overrides.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { publicVocabulary } from '../../../contract/vocabulary/public-vocabulary.ts'
import type { Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { parseJson } from '../../../node/json.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import { usageError } from '../errors/usage-error.ts'
import { yamlErrorMessage } from '../input/read-yaml.ts'
import type { System } from '../system.ts'

/** Description of the flag `--vocabulary`. */
export const vocabularyFlagHelp =
  'Vocabulary of the deployment: "public", "neutral", or a file (parley help vocabulary)'

/**
 * Resolves a vocabulary from a flag: undefined for the neutral one, `public`, or the absolute path of a file. Profiles store it, and
 * `readVocabulary` reads it.
 */
export const resolveVocabularyName = (system: Pick<System, 'cwd'>, given: string): string | undefined =>
  given === 'neutral' ? undefined : given === 'public' ? given : resolve(system.cwd, given)

/** Reads a vocabulary by its name. @throws ClientFailure `usage` for an invalid file */
export async function readVocabulary(name: string): Promise<Vocabulary> {
  if (name === 'public') return publicVocabulary
  const given = await readObjectFile(name, 'vocabulary')
  const unknown = Object.keys(given).filter((it) => !(it in partValidators) && it !== 'extends')
  if (unknown.length > 0) throw malformedFile(name, `unknown key "${unknown[0]}"`)
  const base =
    given.extends === undefined || given.extends === 'neutral'
      ? undefined
      : given.extends === 'public'
        ? await readVocabulary('public')
        : null
  if (base === null) throw malformedFile(name, '"extends" must be public or neutral')
  for (const [part, isShaped] of Object.entries(partValidators))
    if (given[part] !== undefined && !isShaped(given[part])) throw malformedFile(name, `"${part}" has the wrong format`)
  return mergeVocabularies(base, given as Partial<Vocabulary>)
}

/** Reads a vocabulary and rejects it if a translation would not be reversible. Loads the whole contract. */
export async function readCheckedVocabulary(name: string): Promise<Vocabulary> {
  const vocabulary = await readVocabulary(name)
  const { findVocabularyConflicts } = await import('../../../contract/vocabulary/vocabulary-conflicts.ts')
  const losses = findVocabularyConflicts(vocabulary)
  if (losses.length > 0)
    throw usageError(
      `The vocabulary ${name} is ambiguous. ${losses.join(' ')}`,
      'Map each word to a different word. See: parley help vocabulary.',
    )
  return vocabulary
}

/** Reads a JSON or YAML file that contains an object. */
async function readObjectFile(file: string, what: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = decodeText(readFileSync(file))
  } catch (error) {
    throw usageError(`Could not read the ${what} ${file}: ${describeFileError(error)}.`)
  }
  let value: unknown
  try {
    value = text.trimStart().startsWith('{') ? parseJson(text) : (await loadYaml()).parse(text)
  } catch (error) {
    throw usageError(`The ${what} ${file} is not valid JSON or YAML: ${yamlErrorMessage(error)}`)
  }
  if (!isObject(value)) throw malformedFile(file, 'it must contain an object', what)
  return value
}

const isWordTable = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(([neutral, wire]) => neutral !== '' && typeof wire === 'string' && wire !== '')
const isWordTables = (it: unknown): boolean => isObject(it) && Object.values(it).every(isWordTable)
const isDecimalTable = (value: unknown): boolean =>
  isObject(value) &&
  Object.values(value).every((places) => Number.isInteger(places) && Number(places) >= 0 && Number(places) <= 20)

/** The keys of a vocabulary file, with their form. Files of users have them: they are added, not renamed. */
const partValidators: Readonly<Record<keyof Vocabulary, (value: unknown) => boolean>> = {
  paths: isWordTable,
  keys: isWordTable,
  values: isWordTables,
  prefixes: isWordTables,
  decimals: isDecimalTable,
  bits: (it) => Array.isArray(it) && it.every((key) => typeof key === 'string'),
  wrapped: isWordTable,
}

function mergeVocabularies(base: Partial<Vocabulary> = {}, own: Partial<Vocabulary>): Vocabulary {
  const tables = (name: 'values' | 'prefixes'): Vocabulary['values'] => {
    const keys = new Set([...Object.keys(base[name] ?? {}), ...Object.keys(own[name] ?? {})])
    return Object.fromEntries([...keys].map((key) => [key, { ...base[name]?.[key], ...own[name]?.[key] }]))
  }
  return {
    paths: { ...base.paths, ...own.paths },
    keys: { ...base.keys, ...own.keys },
    values: tables('values'),
    prefixes: tables('prefixes'),
    decimals: { ...base.decimals, ...own.decimals },
    bits: [...new Set([...(base.bits ?? []), ...(own.bits ?? [])])],
    wrapped: { ...base.wrapped, ...own.wrapped },
  }
}

const malformedFile = (file: string, why: string, what = 'vocabulary'): Error =>
  usageError(
    `Invalid ${what} ${file}: ${why}.`,
    what === 'vocabulary' ? 'See the format: parley help vocabulary.' : 'See: parley help vocabulary.',
  )

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
