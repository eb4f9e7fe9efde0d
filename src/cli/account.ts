import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyMark } from '../client/credentials.ts'
import type { ClientFailure } from '../client/failure.ts'
import { user } from '../contract/user.ts'
import { makeFolder } from '../folder.ts'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { dataDir } from './folders.ts'

type Folders = Pick<World, 'env' | 'home' | 'os'>
type Accounts = Readonly<Record<string, string>>

const fileIn = (world: Folders): string => join(dataDir(world), 'accounts.json')
const nameOf = (baseUrl: string, mark: string): string => `${baseUrl}#${mark}`

function known(world: Folders): Accounts {
  try {
    const it = JSON.parse(readFileSync(fileIn(world), 'utf8')) as unknown
    return typeof it === 'object' && it !== null && !Array.isArray(it) ? (it as Accounts) : {}
  } catch {
    return {}
  }
}

/** The account that a key was seen to be of, by the mark of the key; undefined when it was never asked for. */
export const knownAccount = (world: Folders, baseUrl: string, mark: string): string | undefined => known(world)[nameOf(baseUrl, mark)]

/** Whether two keys of one platform are known to be of one account. */
export function isSameAccount(world: Folders, baseUrl: string, a: string, b: string): boolean {
  if (a === b) return true
  const own = knownAccount(world, baseUrl, a)
  return own !== undefined && own === knownAccount(world, baseUrl, b)
}

/**
 * What tells the account of the current key apart from others of the platform. The platform is asked once for each key; where it does not say whose the key is, the
 * key itself stands for the account. Undefined without a key.
 */
export async function accountOf(context: Context): Promise<string | undefined> {
  const { world } = context
  const [{ baseUrl }, connected] = [await context.settings(), await context.connected()]
  const key = await connected.key()
  if (key === undefined) return undefined
  const mark = keyMark(key)
  return knownAccount(world, baseUrl.value, mark) ?? (await learnt(context, baseUrl.value, mark)) ?? `key ${mark}`
}

async function learnt(context: Context, baseUrl: string, mark: string): Promise<string | undefined> {
  const email = await context.call(user.me, {}).then(
    (it) => it.email,
    (error: ClientFailure) => {
      if (error.status !== 403 && error.status !== 404) throw error
      return undefined
    },
  )
  if (typeof email !== 'string' || email === '') return undefined
  const account = createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 12)
  remember(context.world, nameOf(baseUrl, mark), account)
  return account
}

/** Never fails: without it the platform is asked once more. */
function remember(world: World, name: string, account: string): void {
  const file = fileIn(world)
  try {
    makeFolder(dataDir(world))
    writeFileSync(`${file}.${world.pid}`, JSON.stringify({ ...known(world), [name]: account }), { mode: 0o600 })
    renameSync(`${file}.${world.pid}`, file)
  } catch {
    // A folder that cannot be written.
  }
}
