import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyPrefix } from '../../client/requests/authenticator.ts'
import type { System } from '../../system.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Context } from '../context.ts'
import { readLocalCredentials } from './local-credentials.ts'

type SystemInfo = Pick<System, 'env' | 'home' | 'os'>

/** Where it is kept which key is of which account. */
export const accountCacheFile = (world: SystemInfo): string => join(dataDir(world), 'accounts.json')

/** What a key of a platform is kept under. */
export const accountCacheKey = (baseUrl: string, mark: string): string => `${baseUrl}#${mark}`

/** Accounts by the names of keys; none where nothing was kept, or it cannot be read. */
export function readAccountCache(world: SystemInfo): Readonly<Record<string, string>> {
  try {
    const it = JSON.parse(readFileSync(accountCacheFile(world), 'utf8')) as unknown
    return typeof it === 'object' && it !== null && !Array.isArray(it) ? (it as Record<string, string>) : {}
  } catch {
    return {}
  }
}

/** Whether two keys of one platform are known to be of one account, by their marks. */
export function isSameAccount(world: SystemInfo, baseUrl: string, a: string, b: string): boolean {
  if (a === b) return true
  const accounts = readAccountCache(world)
  const own = accounts[accountCacheKey(baseUrl, a)]
  return own !== undefined && own === accounts[accountCacheKey(baseUrl, b)]
}

/** Mark of the key in use, without asking anything: of the profile, the environment, or the data folder. Undefined for one that a command gives. */
export async function currentKeyMark({ world, settings }: Context): Promise<string | undefined> {
  const { key, baseUrl } = await settings()
  if (key.value !== undefined) return keyPrefix(key.value)
  if (baseUrl.value !== localProfile.base_url) return undefined
  const own = readLocalCredentials(dataDir(world))?.key
  return own ? keyPrefix(own) : undefined
}
