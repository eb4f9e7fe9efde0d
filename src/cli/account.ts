import { createHash } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { keyMark } from '../client/credentials.ts'
import type { ClientFailure } from '../client/failure.ts'
import { user } from '../contract/user.ts'
import { makeFolder } from '../folder.ts'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { dataDir } from './folders.ts'
import { accountsFile, currentMark, keyName, knownAccounts } from './known-accounts.ts'

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
  return knownAccounts(world)[keyName(baseUrl.value, mark)] ?? (await learnt(context, baseUrl.value, mark)) ?? `key ${mark}`
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
  remember(context.world, keyName(baseUrl, mark), accountNamed(email))
  return accountNamed(email)
}

/** Keeps whose a key is, as `user.me` was answered under it. */
export async function noteAccount(context: Context, answer: unknown): Promise<void> {
  const { email } = (answer ?? {}) as { readonly email?: unknown }
  const [{ baseUrl }, mark] = [await context.settings(), await currentMark(context)]
  if (typeof email === 'string' && email !== '' && mark !== undefined) remember(context.world, keyName(baseUrl.value, mark), accountNamed(email))
}

const accountNamed = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 12)

/** Never fails: without it the platform is asked once more. */
function remember(world: World, name: string, account: string): void {
  const file = accountsFile(world)
  const known = knownAccounts(world)
  if (known[name] === account) return
  try {
    makeFolder(dataDir(world))
    writeFileSync(`${file}.${world.pid}`, JSON.stringify({ ...known, [name]: account }), { mode: 0o600 })
    renameSync(`${file}.${world.pid}`, file)
  } catch {
    // A folder that cannot be written.
  }
}
