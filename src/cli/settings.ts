import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ClientFailure } from '../client/failure.ts'
import type { World } from '../world.ts'
import type { Globals } from './globals.ts'
import { closest } from './output/closest.ts'
import { local, type Profile, readConfiguration } from './profiles.ts'
import { usage } from './usage.ts'
import { yamlProblem } from './yaml-problem.ts'

/** A value and who gave it. */
export interface Origin<T> {
  readonly value: T
  readonly from: string
}

/** Which platform this run talks to, and with what. */
export interface Settings {
  readonly profileName: Origin<string>
  readonly profile: Profile
  readonly baseUrl: Origin<string>
  /** Where the key comes from; its value is read when the first request needs it. */
  readonly key: { readonly from: string; readonly value?: string; readonly command?: string }
  /** Milliseconds for each try. */
  readonly timeoutMs: Origin<number>
  readonly retries: Origin<number>
  /** Output form of runs whose command line names none; whether it is one is for whoever prints to say. */
  readonly output: Origin<string>
  /** Who gave what the profile says about anything else. */
  readonly profileFrom: string
}

/** What `.parley.yaml`, found by walking up, may say: a profile and defaults, never a key. */
interface ProjectFile {
  readonly file: string
  readonly profile?: string
  readonly output?: string
}

/** Code of the refusal to talk to a platform nobody has named. */
export const unknownProfile = 'unknown_profile'

/** Flag > environment > project file > profile > built-in. @throws usage for an unknown profile or a malformed number */
export async function resolveSettings(world: World, globals: Globals, project: ProjectFile | undefined): Promise<Settings> {
  const { env } = world
  const { current, profiles } = readConfiguration(world)
  const profileName = first<string>(
    [globals.profile, '--profile'],
    [env.PARLEY_PROFILE, 'PARLEY_PROFILE'],
    [project?.profile, project?.file ?? ''],
    [current === 'local' ? undefined : current, 'profile use'],
  ) ?? { value: 'local', from: 'built-in' }
  const profile = Object.hasOwn(profiles, profileName.value) ? profiles[profileName.value] : undefined
  const given = first<string>([globals.baseUrl, '--base-url'], [env.PARLEY_BASE_URL, 'PARLEY_BASE_URL'])
  if (!profile && !given) {
    const guess = closest(profileName.value, Object.keys(profiles))
    throw new ClientFailure({
      exit: 'usage',
      code: unknownProfile,
      message: `There is no profile "${profileName.value}" (from ${profileName.from}).${guess ? ` Did you mean "${guess}"?` : ''}`,
      hint: 'List them: parley profile list. Make one: parley profile set <name> --url <url>.',
    })
  }
  const profileFrom = `profile ${profileName.value}`
  const baseUrl = given ?? { value: (profile as Profile).base_url, from: profileFrom }
  const seconds = number(
    world,
    globals.requestTimeout === undefined ? [globals.timeout, '--timeout'] : [globals.requestTimeout, '--request-timeout'],
    'PARLEY_TIMEOUT',
    timeouts,
  )
  return {
    profileName: given ? { value: given.value, from: given.from } : profileName,
    profile: given ? { ...profile, base_url: given.value } : (profile as Profile),
    baseUrl,
    key: keyOf(world, profile, given, profileName.value),
    timeoutMs: { ...seconds, value: Math.round(seconds.value * 1000) },
    retries: number(world, [globals.retries, '--retries'], 'PARLEY_RETRIES', tries),
    output: givenOutput(world, {}, project) ?? first([profile?.output, profileFrom]) ?? { value: 'table', from: 'built-in' },
    profileFrom,
  }
}

/** The output form that was asked for without a look at the profile. @throws usage when two flags contradict each other */
export function givenOutput({ env }: Pick<World, 'env'>, { json, output }: Globals, project: ProjectFile | undefined): Origin<string> | undefined {
  if (json && output !== undefined && output !== 'json') throw usage(`--json and --output ${output} contradict each other.`)
  return first([json ? 'json' : undefined, '--json'], [output, '--output'], [env.PARLEY_OUTPUT, 'PARLEY_OUTPUT'], [project?.output, project?.file ?? ''])
}

function keyOf(world: World, profile: Profile | undefined, given: Origin<string> | undefined, name: string): Settings['key'] {
  if (world.env.PARLEY_API_KEY) return { from: 'PARLEY_API_KEY', value: world.env.PARLEY_API_KEY.trim() }
  // A base URL given by hand may be anybody's: a profile's key goes only to the profile's own address.
  if (given && given.value !== profile?.base_url) return { from: 'nowhere' }
  if (profile?.api_key) return { from: `profile ${name}`, value: profile.api_key }
  if (profile?.api_key_command) return { from: `api_key_command of profile ${name}`, command: profile.api_key_command }
  return profile?.base_url === local.base_url ? { from: 'the data folder' } : { from: 'nowhere' }
}

function first<T>(...sources: readonly (readonly [T | undefined, string])[]): Origin<T> | undefined {
  for (const [value, from] of sources) if (value !== undefined && value !== '') return { value, from }
  return undefined
}

interface Range {
  /** What it is a number of: `a whole number`. */
  readonly what: string
  readonly least: number
  readonly most: number
  readonly otherwise: number
}

/** A day is more than anybody waits, and less than the longest time a timer takes. */
const timeouts: Range = { what: 'a number of seconds', least: 0.01, most: 86_400, otherwise: 30 }
const tries: Range = { what: 'a whole number', least: 0, most: 100, otherwise: 3 }

function number({ env }: World, flag: readonly [string | undefined, string], variable: string, range: Range): Origin<number> {
  const given = first<string>(flag, [env[variable], variable])
  if (!given) return { value: range.otherwise, from: 'built-in' }
  const value = given.value.trim() === '' ? Number.NaN : Number(given.value)
  const { what, least, most } = range
  if (!(value >= least && value <= most) || (range === tries && !Number.isInteger(value)))
    throw usage(`${given.from} must be ${what} from ${least} to ${most}, not "${given.value}".`)
  return { value, from: given.from }
}

/** The keys of `.parley.yaml`; a key of a platform is refused with a sentence of its own. */
const projectKeys = ['profile', 'output'] as const

/** @throws usage for keys that `.parley.yaml` does not have: a misspelt one would send writes to another platform */
function checkProject(file: string, value: unknown): void {
  const all = `Its keys are ${projectKeys.join(' and ')}.`
  if (typeof value !== 'object' || Array.isArray(value)) throw usage(`${file} must hold keys and values, such as "profile: staging".`, all)
  for (const [key, it] of Object.entries(value as object)) {
    if (key === 'api_key') continue
    if (!(projectKeys as readonly string[]).includes(key)) {
      const guess = closest(key, projectKeys)
      throw usage(`Unknown key "${key}" in ${file}.${guess ? ` Did you mean "${guess}"?` : ''}`, all)
    }
    if (typeof it !== 'string' || it === '') throw usage(`"${key}" in ${file} must be a text.`, all)
  }
}

/** Looks for `.parley.yaml` from the working folder up. YAML is loaded only when there is one. */
export async function findProjectFile(world: Pick<World, 'cwd'>): Promise<ProjectFile | undefined> {
  for (let dir = world.cwd; ; dir = dirname(dir)) {
    const file = join(dir, '.parley.yaml')
    if (existsSync(file)) {
      const { parse } = await import('yaml')
      let value: unknown
      try {
        value = parse(readFileSync(file, 'utf8'), { schema: 'failsafe' })
      } catch (error) {
        throw usage(`${file} is not valid YAML: ${yamlProblem(error)}`)
      }
      if (value !== null && value !== undefined && value !== '') checkProject(file, value)
      const { profile, output, api_key } = (value || {}) as Record<string, string | undefined>
      if (api_key !== undefined) throw usage(`${file} holds an api_key. Keys do not belong in a project.`, 'Remove it and keep it in a profile: parley login.')
      return { file, ...(profile !== undefined && { profile }), ...(output !== undefined && { output }) }
    }
    if (dirname(dir) === dir) return undefined
  }
}
