// Ids and names of lists that commands have read, for completion. Optional: failing to read or write it never fails a command,
// and it is not used when a flag or the environment may select another platform.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import type { System } from '../system.ts'

/** Environment variables by name. */
type Env = Readonly<Record<string, string | undefined>>

/** Ids and names of one list when it was last read. Only a cache: a file of another form counts as missing. */
export interface CachedList {
  /** Identifies the configuration and data folders, because two folders may both have a profile "local". */
  readonly of: string
  readonly items: readonly (readonly [id: number | string, name: string, within?: number])[]
}

/** Returns the cache folder, that of node/cache-folder.ts; undefined without a home folder. Completion loads only this file of both. */
export function cacheDir(env: Env, os: string): string | undefined {
  if (env.PARLEY_CACHE_DIR) return env.PARLEY_CACHE_DIR
  const home = env.HOME || env.USERPROFILE
  const base =
    env.XDG_CACHE_HOME ||
    (os === 'win32' && env.LOCALAPPDATA) ||
    (home && home + (os === 'darwin' ? '/Library/Caches' : '/.cache'))
  return base ? `${base}/parley` : undefined
}

/** Returns the file with the name of the default profile. */
export const currentProfileFile = (dir: string): string => `${dir}/current`

/** Returns the cache folder of a profile. */
export const profileCacheDir = (dir: string, profile: string): string => `${dir}/names/${profile}`

/** Returns the cache file of one list of a profile. */
export const cachedListFile = (dir: string, profile: string, list: string): string =>
  `${profileCacheDir(dir, profile)}/${list}.json`

/** Identifies the folders that the environment selects. */
export const cacheScope = (env: Env): string =>
  [env.PARLEY_CONFIG_DIR, env.PARLEY_DATA_DIR, env.XDG_CONFIG_HOME, env.XDG_DATA_HOME].map((it) => it ?? '').join('|')

/**
 * Returns whether the environment or a flag overrides the address or key of the profile, so that its cache does not
 * apply.
 */
export const overridesProfile = (env: Env, baseUrl: string | undefined): boolean =>
  Boolean(baseUrl || env.PARLEY_BASE_URL || env.PARLEY_API_KEY)

/** Reads a cached list. Returns undefined for unexpected content. */
export function readCachedList(file: string): CachedList | undefined {
  try {
    const value = parseJson(readFileSync(file, 'utf8')) as CachedList | null
    const isPair = (value: unknown): boolean =>
      Array.isArray(value) &&
      (typeof value[0] === 'number' || typeof value[0] === 'string') &&
      typeof value[1] === 'string' &&
      /^(undefined|number)$/.test(typeof value[2])
    return value && Array.isArray(value.items) && value.items.every(isPair) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the cache of the profile of a command line; undefined if the profile is uncertain. A name has the form of `isProfileName` (configuration/profiles.ts). */
export function findProfileCache(
  given: string | undefined,
  env: Env,
  at: { readonly os: string; readonly cwd: string },
): ProfileCache | undefined {
  const dir = cacheDir(env, at.os)
  const profile = dir && (given || env.PARLEY_PROFILE || projectProfile(at.cwd) || currentProfile(dir))
  return dir && profile && /^[a-z0-9][a-z0-9_-]{0,62}$/i.test(profile) ? { dir, profile } : undefined
}

/** Cache folder and profile. */
export interface ProfileCache {
  readonly dir: string
  readonly profile: string
}

/** Returns the ids and names of a list; undefined if it was never cached. */
export function cachedItems(list: string, { dir, profile }: ProfileCache, env: Env): CachedList['items'] | undefined {
  const found = readCachedList(cachedListFile(dir, profile, list))
  return found?.of === cacheScope(env) ? found.items : undefined
}

function currentProfile(dir: string): string {
  try {
    return readFileSync(currentProfileFile(dir), 'utf8').trim()
  } catch {
    return 'local'
  }
}

/**
 * Returns the profile of `.parley.yaml`, here or in a parent folder. Returns `?`, which no profile is named, if one
 * line does not tell.
 */
function projectProfile(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = dir.replace(/[\\/][^\\/]*$/, '')) {
    if (existsSync(`${dir}/.parley.yaml`)) {
      try {
        const text = readFileSync(`${dir}/.parley.yaml`, 'utf8')
        return (
          /^\uFEFF?profile: *["']?([\w-]+)["']? *(?:#.*)?$/m.exec(text)?.[1] ??
          (text.includes('profile') ? '?' : undefined)
        )
      } catch {
        return '?'
      }
    }
    if (!/[\\/]/.test(dir)) return undefined
  }
}

/** Records the current profile, and deletes the cache of changed and deleted profiles. */
export function cacheActiveProfile(
  { env, os }: Pick<System, 'env' | 'os'>,
  current: string,
  others: readonly string[],
): void {
  const dir = cacheDir(env, os)
  if (!dir) return
  for (const other of others) ignoreErrors(() => rmSync(profileCacheDir(dir, other), { recursive: true, force: true }))
  writeIfChanged(currentProfileFile(dir), `${current}\n`)
}

/** Replaces a file atomically if its content differs. */
export function writeIfChanged(file: string, text: string): void {
  ignoreErrors(() => {
    if (read(file) === text) return
    makeFolder(dirname(file))
    replaceFile(file, text, { isDurable: false })
  })
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Ignores errors, because the cache is optional. */
export function ignoreErrors(action: () => void): void {
  try {
    action()
  } catch {
    // The cache folder cannot be written; completion offers less.
  }
}
