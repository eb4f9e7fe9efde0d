import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { parseJson } from '../../node/json.ts'
import { makeFolder } from '../../node/make-folder.ts'
import { realTime } from '../../node/real-time.ts'
import { configDir, dataDir } from '../configuration/app-folders.ts'
import { cachedListFile, type ProfileCache, profileCacheDir } from './completion-cache.ts'

/** Runs a command line of this program for at most `ms` milliseconds; the command caches the list. */
export type Fetch = (command: readonly string[], ms: number) => void

interface FetchContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly os: string
  readonly fetch: Fetch
}

/** Milliseconds that a listing may take, and for which a failed one is not repeated. */
const timeoutMs = 3000
const retryAfterMs = 60_000

/**
 * Lists a list without a cache once, with the command that prints it. Returns false if that would create a platform or
 * run a vault command, or was tried recently.
 */
export function fetchList(
  list: string,
  command: string | undefined,
  place: ProfileCache,
  where: FetchContext,
): boolean {
  if (command === undefined || !isReachable(place.profile, where) || wasTried(list, place)) return false
  const quickly = ['--limit', '100', '-o', 'id', '--no-input', '--quiet', '--retries', '0', '--request-timeout', '2']
  where.fetch([...command.split(' '), ...quickly, '--profile', place.profile], timeoutMs)
  return true
}

function isReachable(profile: string, { env, os }: FetchContext): boolean {
  const home = env.HOME || env.USERPROFILE || ''
  if (profile === 'local')
    return ['platform.db', 'database.json'].some((it) => existsSync(`${dataDir({ env, os, home })}/${it}`))
  try {
    const { profiles } = parseJson(readFileSync(`${configDir({ env, os, home })}/config.json`, 'utf8')) as {
      readonly profiles?: Readonly<Record<string, { readonly api_key?: string }>>
    }
    return typeof profiles?.[profile]?.api_key === 'string'
  } catch {
    return false
  }
}

/** Returns whether the list was fetched within the last minute, and records the attempt. */
function wasTried(list: string, { dir, profile }: ProfileCache): boolean {
  const stamp = `${cachedListFile(dir, profile, list)}.tried`
  try {
    if (existsSync(stamp) && realTime.now() - statSync(stamp).mtimeMs < retryAfterMs) return true
    makeFolder(profileCacheDir(dir, profile))
    writeFileSync(stamp, '', { mode: 0o600 })
    return false
  } catch {
    return true
  }
}
