import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ClientFailure } from '../client/failure.ts'
import type { World } from '../world.ts'
import type { Globals } from './globals.ts'
import { closest } from './output/closest.ts'
import { local, type Profile, readConfiguration } from './profiles.ts'
import { usage } from './usage.ts'

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
  readonly timeoutMs: number
  readonly retries: number
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
  const baseUrl = given ?? { value: (profile as Profile).base_url, from: `profile ${profileName.value}` }
  return {
    profileName: given ? { value: given.value, from: given.from } : profileName,
    profile: given ? { ...profile, base_url: given.value } : (profile as Profile),
    baseUrl,
    key: keyOf(world, profile, given, profileName.value),
    timeoutMs: Math.round(number(globals.timeout, env.PARLEY_TIMEOUT, '--timeout', 'PARLEY_TIMEOUT', 30, 0.001) * 1000),
    retries: number(globals.retries, env.PARLEY_RETRIES, '--retries', 'PARLEY_RETRIES', 3, 0),
  }
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

function number(flag: string | undefined, env: string | undefined, flagName: string, envName: string, otherwise: number, least: number): number {
  const given = first<string>([flag, flagName], [env, envName])
  if (!given) return otherwise
  const value = Number(given.value)
  if (!Number.isFinite(value) || value < least || (least === 0 && !Number.isInteger(value)))
    throw usage(`${given.from} must be a ${least === 0 ? 'whole ' : ''}number, not "${given.value}".`)
  return value
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
        throw usage(`${file} is not valid YAML: ${(error as Error).message}`)
      }
      const { profile, output, api_key } = (value ?? {}) as Record<string, string | undefined>
      if (api_key !== undefined) throw usage(`${file} holds an api_key. Keys do not belong in a project.`, 'Remove it and keep it in a profile: parley login.')
      return { file, ...(profile !== undefined && { profile }), ...(output !== undefined && { output }) }
    }
    if (dirname(dir) === dir) return undefined
  }
}
