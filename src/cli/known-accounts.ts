import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyMark } from '../client/credentials.ts'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { dataDir } from './folders.ts'
import { readCredentials } from './local-credentials.ts'
import { local } from './profiles.ts'

type Folders = Pick<World, 'env' | 'home' | 'os'>

/** Where it is kept which key is of which account. */
export const accountsFile = (world: Folders): string => join(dataDir(world), 'accounts.json')

/** What a key of a platform is kept under. */
export const keyName = (baseUrl: string, mark: string): string => `${baseUrl}#${mark}`

/** Accounts by the names of keys; none where nothing was kept, or it cannot be read. */
export function knownAccounts(world: Folders): Readonly<Record<string, string>> {
  try {
    const it = JSON.parse(readFileSync(accountsFile(world), 'utf8')) as unknown
    return typeof it === 'object' && it !== null && !Array.isArray(it) ? (it as Record<string, string>) : {}
  } catch {
    return {}
  }
}

/** Whether two keys of one platform are known to be of one account, by their marks. */
export function isSameAccount(world: Folders, baseUrl: string, a: string, b: string): boolean {
  if (a === b) return true
  const accounts = knownAccounts(world)
  const own = accounts[keyName(baseUrl, a)]
  return own !== undefined && own === accounts[keyName(baseUrl, b)]
}

/** Mark of the key in use, without asking anything: of the profile, the environment, or the data folder. Undefined for one that a command gives. */
export async function currentMark({ world, settings }: Context): Promise<string | undefined> {
  const { key, baseUrl } = await settings()
  if (key.value !== undefined) return keyMark(key.value)
  if (baseUrl.value !== local.base_url) return undefined
  const own = readCredentials(dataDir(world))?.key
  return own ? keyMark(own) : undefined
}
