import { accessSync, constants, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { RouteOverride } from '../../../client/requests/route-overrides.ts'
import { localPlatform } from '../../../client/transport/platform-address.ts'
import type { Budget } from '../../../contract/values/budgets.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { whileFileLocked } from '../../../node/file-lock.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { usageError } from '../errors/usage-error.ts'
import { cacheActiveProfile } from '../lists/completion-cache.ts'
import type { System } from '../system.ts'
import { configDir, configurationFileName } from './app-folders.ts'

/**
 * Whose requests need the approval of a person outside the command: all, those of coding agents, none. Profiles of users
 * have these words.
 */
export const approvalChoices = ['required', 'agents', 'off'] as const
export type Approvals = (typeof approvalChoices)[number]

/**
 * A platform and how to connect to it. The configuration file has it, which other versions read: fields are added, not
 * renamed.
 */
export interface Profile {
  readonly base_url: string
  readonly api_key?: string
  /** A command that prints the key, for example of a password vault. */
  readonly api_key_command?: string
  /** Default output format. */
  readonly output?: string
  /** Vocabulary of the deployment: `public`, or the absolute path of a file. */
  readonly vocabulary?: string
  /** Paths and parameter names that differ from the contract, by endpoint. */
  readonly routes?: Readonly<Record<string, RouteOverride>>
  /** Every write requires confirmation by the name of the profile. */
  readonly protected?: boolean
  /** Rejects every write. */
  readonly read_only?: boolean
  /** Price in USD from which a single paid message requires confirmation, also in scripts (default: 1 on a terminal). */
  readonly confirm_above?: number
  /** Most that is spent with this profile in a UTC day or month. The amount is in USD. */
  readonly budget?: Budget
  /** Whose requests need approval (default: `agents`; `off` on the local platform). */
  readonly approvals?: Approvals
  /** `off`: writes are not saved in the history. */
  readonly history?: 'on' | 'off'
}

/** The configuration file: all profiles, and the one in use. */
export interface Configuration {
  /** Default profile. */
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
}

/** The built-in profile, for the local platform of this program. */
export const localProfile: Profile = { base_url: localPlatform }

/** Returns whether a text is a valid profile name. The completion has the same pattern (lists/completion-cache.ts). */
export const isProfileName = (text: string): boolean => /^[a-z0-9][a-z0-9_-]{0,62}$/i.test(text)

/** Returns the path of the configuration file. */
export const configurationFile = (system: System): string => join(configDir(system), configurationFileName)

/**
 * Reads the configuration. A file that cannot be read or parsed is an error, because its profiles may be protected.
 * @throws ClientFailure `usage`
 */
export function readConfiguration(system: System): Configuration {
  const file = configurationFile(system)
  let text: string
  try {
    text = decodeText(readFileSync(file))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { current: 'local', profiles: { local: localProfile } }
    throw usageError(
      `Could not read the configuration: ${message}.`,
      `Make ${file} readable, or set PARLEY_CONFIG_DIR to another folder.`,
    )
  }
  const found = parse(file, text.replace(/^\uFEFF/, ''))
  return {
    current: found.current ?? 'local',
    profiles: { ...found.profiles, local: { ...found.profiles?.local, ...localProfile } },
  }
}

function parse(file: string, text: string): Partial<Configuration> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw invalidConfiguration(file, 'is not valid JSON')
  }
  if (!isObject(value)) throw invalidConfiguration(file, 'must contain an object')
  if (value.profiles !== undefined && !isObject(value.profiles))
    throw invalidConfiguration(file, 'is invalid: "profiles" must be an object')
  for (const [name, profile] of Object.entries(value.profiles ?? {})) {
    if (!isObject(profile)) throw invalidConfiguration(file, `is invalid: the profile "${name}" must be an object`)
    for (const guard of ['protected', 'read_only'] as const)
      if (profile[guard] !== undefined && typeof profile[guard] !== 'boolean')
        throw invalidConfiguration(file, `is invalid: "${guard}" of profile "${name}" must be true or false`)
    if (profile.budget !== undefined && !isBudget(profile.budget))
      throw invalidConfiguration(
        file,
        `is invalid: "budget" of profile "${name}" must be like {"amount": 50, "period": "month"}, with "day" or "month"`,
      )
    if (profile.approvals !== undefined && !approvalChoices.some((it) => it === profile.approvals))
      throw invalidConfiguration(
        file,
        `is invalid: "approvals" of profile "${name}" must be ${approvalChoices.join(', ')}`,
      )
  }
  return value as Partial<Configuration>
}

const isBudget = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.amount === 'number' &&
  value.amount >= 0 &&
  (value.period === 'day' || value.period === 'month')

const invalidConfiguration = (file: string, problem: string): Error =>
  usageError(
    `The configuration ${file} ${problem}.`,
    'Fix the file, or move it to another folder to start with a new configuration. PARLEY_CONFIG_DIR sets another folder.',
  )

/**
 * Changes the configuration atomically, one process at a time. The folder has mode 0700, the file 0600. Settings of later
 * versions are preserved. @throws ClientFailure `usage`
 */
export async function updateConfiguration(
  system: System,
  change: (current: Configuration) => Configuration,
): Promise<Configuration> {
  const dir = configDir(system)
  const { default: Conf } = await import('conf')
  const write = (): { previous: Configuration; next: Configuration } => {
    const previous = readConfiguration(system)
    const next = change(previous)
    const { local: localSettings, ...others } = next.profiles
    // The address of the local profile is built in; its other settings are stored like those of any profile.
    const { base_url: _, ...localOverrides } = localSettings ?? localProfile
    const profiles = Object.keys(localOverrides).length > 0 ? { ...others, local: localOverrides } : others
    const conf = new Conf({
      // Its own reader fails for a byte order mark.
      deserialize: () => parseJson(decodeText(readFileSync(configurationFile(system)))),
      cwd: dir,
      configName: 'config',
      projectName: 'parley',
      projectSuffix: '',
      configFileMode: 0o600,
      serialize: (value) => `${stringifyJson(value, null, 2)}\n`,
    })
    conf.store = { ...conf.store, current: next.current, profiles }
    return { previous, next }
  }
  let written: ReturnType<typeof write>
  try {
    makeFolder(dir)
    // Without this check, the conf package would retry for a second.
    accessSync(dir, constants.W_OK)
    written = whileFileLocked(join(dir, 'config.lock'), write)
  } catch (error) {
    if (error instanceof ClientFailure) throw error
    throw usageError(
      `Could not write the configuration: ${(error as Error).message}.`,
      `Make ${dir} writable, or set PARLEY_CONFIG_DIR to another folder. Nothing was changed.`,
    )
  }
  const { previous, next } = written
  const isSame = (name: string): boolean =>
    stringifyJson(previous.profiles[name]) === stringifyJson(next.profiles[name])
  cacheActiveProfile(
    system,
    next.current,
    Object.keys({ ...previous.profiles, ...next.profiles }).filter((it) => isProfileName(it) && !isSame(it)),
  )
  return next
}

/** Masks a key except its last four characters, which suffice to distinguish keys. */
export const maskKey = (key: string): string => (key.length > 8 ? `…${key.slice(-4)}` : '…')
