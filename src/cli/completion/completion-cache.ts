import { existsSync, readFileSync } from 'node:fs'

/** Environment variables by name. */
type Env = Readonly<Record<string, string | undefined>>

/** Ids and names of one list, as they were when it was last read. */
export interface CachedList {
  /** Which configuration and data these are of: two folders may both have a profile "local". */
  readonly of: string
  readonly items: readonly (readonly [id: number | string, name: string, within?: number])[]
}

/** Lists that are read within one thing, by the list that is an item of; the flag names it on the command line. */
export const parentLists: Readonly<Record<string, { readonly list: string; readonly flag: string }>> = {
  'messaging.templates': { list: 'messaging.senders', flag: '--sender' },
  'knowledge.listDocuments': { list: 'knowledge.list', flag: '--knowledge' },
}

/** Folder of what may be lost at any time; undefined where there is no home. */
export function cacheDir(env: Env, os: string): string | undefined {
  if (env.PARLEY_CACHE_DIR) return env.PARLEY_CACHE_DIR
  const home = env.HOME || env.USERPROFILE
  const base =
    env.XDG_CACHE_HOME ||
    (os === 'win32' && env.LOCALAPPDATA) ||
    (home && home + (os === 'darwin' ? '/Library/Caches' : '/.cache'))
  return base ? `${base}/parley` : undefined
}

/** The file that names the profile in use when nothing else does. */
export const currentProfileFile = (dir: string): string => `${dir}/current`

/** Folder of what is remembered of a profile. */
export const profileCacheDir = (dir: string, profile: string): string => `${dir}/names/${profile}`

/** The file of one list of a profile. */
export const cachedListFile = (dir: string, profile: string, list: string): string =>
  `${profileCacheDir(dir, profile)}/${list}.json`

/** What tells apart folders that are chosen by the environment. */
export const cacheScope = (env: Env): string =>
  [env.PARLEY_CONFIG_DIR, env.PARLEY_DATA_DIR, env.XDG_CONFIG_HOME, env.XDG_DATA_HOME].map((it) => it ?? '').join('|')

/** Whether the environment or a flag takes the address or the key away from the profile: what is remembered of it is then somebody else's. */
export const overridesProfile = (env: Env, baseUrl: string | undefined): boolean =>
  Boolean(baseUrl || env.PARLEY_BASE_URL || env.PARLEY_API_KEY)

/** Reads what is remembered; anything unexpected is nothing. */
export function readCachedList(file: string): CachedList | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as CachedList | null
    const isPair = (it: unknown): boolean =>
      Array.isArray(it) &&
      (typeof it[0] === 'number' || typeof it[0] === 'string') &&
      typeof it[1] === 'string' &&
      /^(undefined|number)$/.test(typeof it[2])
    return value && Array.isArray(value.items) && value.items.every(isPair) ? value : undefined
  } catch {
    return undefined
  }
}

/** Where a list of the profile of a line that is being typed is remembered; undefined where the profile is not certain. */
export function findProfileCache(
  given: string | undefined,
  env: Env,
  at: { readonly os: string; readonly cwd: string },
): ProfileCache | undefined {
  const dir = cacheDir(env, at.os)
  const profile = dir && (given || env.PARLEY_PROFILE || projectProfile(at.cwd) || currentProfile(dir))
  return dir && profile && /^[a-z0-9][a-z0-9_-]{0,62}$/i.test(profile) ? { dir, profile } : undefined
}

/** Folder of the cache, and the profile. */
export interface ProfileCache {
  readonly dir: string
  readonly profile: string
}

/** Ids and names of a list; undefined where it was never listed. */
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

/** What `.parley.yaml`, here or above, says; `?`, which no profile is called, when it says more than one line can tell. */
function projectProfile(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = dir.replace(/[\\/][^\\/]*$/, '')) {
    if (existsSync(`${dir}/.parley.yaml`)) {
      try {
        const text = readFileSync(`${dir}/.parley.yaml`, 'utf8')
        return (
          /^profile: *["']?([\w-]+)["']? *(?:#.*)?$/m.exec(text)?.[1] ?? (text.includes('profile') ? '?' : undefined)
        )
      } catch {
        return '?'
      }
    }
    if (!/[\\/]/.test(dir)) return undefined
  }
}
