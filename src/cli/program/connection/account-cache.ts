import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson } from '../../../node/json.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Settings } from '../configuration/settings.ts'
import { usageError } from '../errors/usage-error.ts'
import type { System } from '../system.ts'

/** Reads the API key and control token of a data folder; undefined if it has none. */
export function readLocalCredentials(
  dir: string,
): { readonly key: string | null; readonly control: string } | undefined {
  const file = join(dir, dataFiles.credentials)
  try {
    return parseJson(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw usageError(`Could not read ${file}: ${(error as Error).message}.`)
  }
}

type SystemInfo = Pick<System, 'env' | 'home' | 'os'>

/** Returns the file that maps keys to accounts. */
export const accountCacheFile = (system: SystemInfo): string => join(dataDir(system), 'accounts.json')

/** Returns the entry name of a key on a platform. Part of a cache: with another name, the platform is asked again. */
export const accountCacheKey = (baseUrl: string, mark: string): string => `${baseUrl}#${mark}`

/** Reads the accounts by key; empty if the file does not exist or cannot be read. */
export function readAccountCache(system: SystemInfo): Readonly<Record<string, string>> {
  try {
    const cached = parseJson(readFileSync(accountCacheFile(system), 'utf8')) as unknown
    return isObject(cached) ? (cached as Record<string, string>) : {}
  } catch {
    return {}
  }
}

/** Returns whether two keys of a platform, given by their prefixes, are known to belong to the same account. */
export function isSameAccount(system: SystemInfo, baseUrl: string, a: string, b: string): boolean {
  if (a === b) return true
  const accounts = readAccountCache(system)
  const own = accounts[accountCacheKey(baseUrl, a)]
  return own !== undefined && own === accounts[accountCacheKey(baseUrl, b)]
}

/**
 * Returns the prefix of the key in use, from the profile, the environment or the data folder. Sends no request.
 * Undefined for a key that a command prints. History entries, the journal and approvals have it, so that those of another account are
 * not taken for own ones.
 */
export async function currentKeyMark({
  system,
  settings,
}: {
  readonly system: System
  settings(): Promise<Settings>
}): Promise<string | undefined> {
  const { key, baseUrl } = await settings()
  if (key.value !== undefined) return keyPrefix(key.value)
  if (baseUrl.value !== localProfile.base_url) return undefined
  const own = readLocalCredentials(dataDir(system))?.key
  return own ? keyPrefix(own) : undefined
}
