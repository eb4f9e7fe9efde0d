import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import type { GlobalOptions } from '../commandline/global-flags.ts'
import { usageError } from '../errors/usage-error.ts'
import { yamlErrorMessage } from '../input/read-yaml.ts'
import type { System } from '../system.ts'
import { localProfile, type Profile, readConfiguration } from './profiles.ts'
import { settingSources } from './setting-origins.ts'

/** A value and its source. */
interface SettingValue<T> {
  readonly value: T
  /** For messages. setting-origins.ts recognizes these texts, for programs. */
  readonly from: string
}

/** The platform of this run and how to connect to it. */
export interface Settings {
  readonly profileName: SettingValue<string>
  readonly profile: Profile
  readonly baseUrl: SettingValue<string>
  /**
   * Source of the key; its value is read before the first request that needs it. connect.ts compares `from` with `profileFrom` and
   * `keyCommandOrigin`, to know whether a refused key may have been replaced in the profile.
   */
  readonly key: { readonly from: string; readonly value?: string; readonly command?: string }
  /** Timeout of each attempt in milliseconds. */
  readonly timeoutMs: SettingValue<number>
  readonly retries: SettingValue<number>
  /** Whether the state before a write is saved in the history. */
  readonly history: SettingValue<boolean>
  /** Output format if the command line names none. It is validated when the output is created. */
  readonly output: SettingValue<string>
  /** Source of the other values of the profile, for messages. */
  readonly profileFrom: string
  /** Name of the profile whose values are used, also if another base URL was given. */
  readonly profileUsed: string
}

/** Content of `.parley.yaml` in this folder or a parent: a profile and defaults, never a key. */
interface ProjectFile {
  readonly file: string
  readonly profile?: string
  readonly output?: string
}

/** Error code for an unknown profile without a base URL. Scripts read it as `code` of the error. */
export const unknownProfileCode = 'unknown_profile'

/** Returns the error for a profile that does not exist: it names the source of the name and the closest profile. */
export function unknownProfile({ value, from }: SettingValue<string>, existing: readonly string[]): ClientFailure {
  const guess = closestMatch(value, existing)
  return new ClientFailure({
    exit: 'not_found',
    code: unknownProfileCode,
    message: `Unknown profile "${value}" (from ${from}).${guess ? ` Did you mean "${guess}"?` : ''}`,
    hint: 'List profiles: parley profile list. Create one: parley profile set <name> --url <url>.',
  })
}

/**
 * Resolves settings in this order: flag, environment, project file, profile, built-in default. @throws ClientFailure
 * `not_found` for an unknown profile, `usage` for a malformed number
 */
export async function resolveSettings(
  system: System,
  globals: GlobalOptions,
  project: ProjectFile | undefined,
): Promise<Settings> {
  const { env } = system
  const { current, profiles } = readConfiguration(system)
  const profileName = firstGiven<string>(
    [globals.profile, '--profile'],
    [env.PARLEY_PROFILE, 'PARLEY_PROFILE'],
    [project?.profile, project?.file ?? ''],
    [current === 'local' ? undefined : current, settingSources.profileUse],
  ) ?? { value: 'local', from: settingSources.builtIn }
  const profile = Object.hasOwn(profiles, profileName.value) ? profiles[profileName.value] : undefined
  const given = firstGiven<string>([globals.baseUrl, '--base-url'], [env.PARLEY_BASE_URL, 'PARLEY_BASE_URL'])
  if (!profile && !given) throw unknownProfile(profileName, Object.keys(profiles))
  const profileFrom = `profile ${profileName.value}`
  const baseUrl = given ?? { value: (profile as Profile).base_url, from: profileFrom }
  const seconds = numberSetting(
    system,
    globals.requestTimeout === undefined
      ? [globals.timeout, '--timeout']
      : [globals.requestTimeout, '--request-timeout'],
    'PARLEY_TIMEOUT',
    timeoutRange,
  )
  return {
    profileName: given ? { value: given.value, from: given.from } : profileName,
    profile: given ? { ...profile, base_url: given.value } : (profile as Profile),
    baseUrl,
    key: resolveKey(system, profile, given, profileName.value),
    timeoutMs: { ...seconds, value: Math.round(seconds.value * 1000) },
    retries: numberSetting(system, [globals.retries, '--retries'], 'PARLEY_RETRIES', retryRange),
    history: historySetting(system, globals, profile, profileFrom),
    output: outputOverride(system, {}, project) ??
      firstGiven([profile?.output, profileFrom]) ?? { value: 'table', from: settingSources.builtIn },
    profileFrom,
    profileUsed: profileName.value,
  }
}

/**
 * Returns the output format requested without the profile. @throws ClientFailure `usage` if two flags contradict each
 * other
 */
export function outputOverride(
  { env }: Pick<System, 'env'>,
  { json, output, jq }: GlobalOptions,
  project: ProjectFile | undefined,
): SettingValue<string> | undefined {
  if (json && output !== undefined && output !== 'json')
    throw usageError(`--json and --output ${output} cannot be combined.`)
  if (jq !== undefined && output !== undefined && output !== 'json' && output !== 'ndjson')
    throw usageError(
      `--jq and --output ${output} cannot be combined.`,
      'jq reads JSON. Pass -o json or -o ndjson, or omit it.',
    )
  return firstGiven(
    [json ? 'json' : undefined, '--json'],
    [jq === undefined ? undefined : (output ?? 'json'), '--jq'],
    [output, '--output'],
    [env.PARLEY_OUTPUT, 'PARLEY_OUTPUT'],
    [project?.output, project?.file ?? ''],
  )
}

/** Returns the source of a key that the command of a profile prints. setting-origins.ts recognizes it by its beginning. */
export const keyCommandOrigin = (profile: string): string => `api_key_command of profile ${profile}`

function resolveKey(
  system: System,
  profile: Profile | undefined,
  given: SettingValue<string> | undefined,
  name: string,
): Settings['key'] {
  if (system.env.PARLEY_API_KEY) return { from: 'PARLEY_API_KEY', value: system.env.PARLEY_API_KEY.trim() }
  // The key of a profile is sent only to the address of the profile, because any other base URL may belong to someone
  // else.
  if (given && given.value !== profile?.base_url) return { from: settingSources.none }
  if (profile?.api_key) return { from: `profile ${name}`, value: profile.api_key }
  if (profile?.api_key_command) return { from: keyCommandOrigin(name), command: profile.api_key_command }
  return profile?.base_url === localProfile.base_url
    ? { from: settingSources.dataFolder }
    : { from: settingSources.none }
}

function firstGiven<T>(...sources: readonly (readonly [T | undefined, string])[]): SettingValue<T> | undefined {
  for (const [value, from] of sources) if (value !== undefined && value !== '') return { value, from }
  return undefined
}

/** Returns whether writes are saved in the history. @throws ClientFailure `usage` for another word than on and off */
function historySetting(
  { env }: System,
  { history }: GlobalOptions,
  profile: Profile | undefined,
  profileFrom: string,
): SettingValue<boolean> {
  const given = firstGiven<string>(
    [history === false ? 'off' : undefined, '--no-history'],
    [env.PARLEY_HISTORY, 'PARLEY_HISTORY'],
    [profile?.history, profileFrom],
  ) ?? { value: 'on', from: settingSources.builtIn }
  if (given.value !== 'on' && given.value !== 'off')
    throw usageError(
      `${given.from === profileFrom ? `history of ${profileFrom}` : given.from} must be on or off, not "${given.value}".`,
    )
  return { value: given.value === 'on', from: given.from }
}

interface NumberRange {
  /** Description for messages: `a whole number`. */
  readonly description: string
  readonly min: number
  readonly max: number
  readonly fallback: number
}

/** The upper limit of one day is below the maximum of a timer. */
const timeoutRange: NumberRange = { description: 'a number of seconds', min: 0.01, max: 86_400, fallback: 30 }
const retryRange: NumberRange = { description: 'a whole number', min: 0, max: 100, fallback: 3 }

function numberSetting(
  { env }: System,
  flag: readonly [string | undefined, string],
  variable: string,
  range: NumberRange,
): SettingValue<number> {
  const given = firstGiven<string>(flag, [env[variable], variable])
  if (!given) return { value: range.fallback, from: settingSources.builtIn }
  const value = given.value.trim() === '' ? Number.NaN : Number(given.value)
  const { description, min, max } = range
  if (!(value >= min && value <= max) || (range === retryRange && !Number.isInteger(value)))
    throw usageError(`${given.from} must be ${description} from ${min} to ${max}, not "${given.value}".`)
  return { value, from: given.from }
}

/**
 * Valid keys of `.parley.yaml`. An API key is rejected with its own message. Users commit such files: keys are added, not
 * renamed.
 */
const projectKeys = ['profile', 'output'] as const

/**
 * Validates `.parley.yaml`. @throws ClientFailure `usage` for unknown keys, because a misspelled one would send writes
 * to another platform
 */
function requireValidProject(file: string, value: unknown): void {
  const all = `Keys: ${projectKeys.join(', ')}.`
  if (typeof value !== 'object' || Array.isArray(value))
    throw usageError(`${file} must contain keys and values, such as "profile: staging".`, all)
  for (const [key, vocabulary] of Object.entries(value as object)) {
    if (key === 'api_key') continue
    if (!(projectKeys as readonly string[]).includes(key)) {
      const guess = closestMatch(key, projectKeys)
      throw usageError(`Unknown key "${key}" in ${file}.${guess ? ` Did you mean "${guess}"?` : ''}`, all)
    }
    if (typeof vocabulary !== 'string' || vocabulary === '')
      throw usageError(`"${key}" in ${file} must be a string.`, all)
  }
}

/** Finds `.parley.yaml` in the working folder or its parents. YAML is loaded only if there is one. */
export async function findProjectFile(system: Pick<System, 'cwd'>): Promise<ProjectFile | undefined> {
  for (let dir = system.cwd; ; dir = dirname(dir)) {
    const file = join(dir, '.parley.yaml')
    if (existsSync(file)) {
      const { parse } = await loadYaml()
      let value: unknown
      try {
        value = parse(decodeText(readFileSync(file)), { schema: 'failsafe' })
      } catch (error) {
        throw usageError(`${file} is not valid YAML: ${yamlErrorMessage(error)}`)
      }
      if (value !== null && value !== undefined && value !== '') requireValidProject(file, value)
      const { profile, output, api_key } = (value || {}) as Record<string, string | undefined>
      if (api_key !== undefined)
        throw usageError(
          `${file} contains an api_key. API keys are not allowed in project files.`,
          'Remove it and store the key in a profile: parley login.',
        )
      return { file, ...(profile !== undefined && { profile }), ...(output !== undefined && { output }) }
    }
    if (dirname(dir) === dir) return undefined
  }
}
