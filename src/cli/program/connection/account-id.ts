import { createHash } from 'node:crypto'
import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { user } from '../../../contract/resources/user.ts'
import { stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../configuration/app-folders.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'
import type { System } from '../system.ts'
import { accountCacheFile, accountCacheKey, currentKeyMark, readAccountCache } from './account-cache.ts'

/**
 * Returns an id that distinguishes the account of the current key from others on the platform. The platform is asked
 * once per key. If it does not return the account, the key itself is the id. Undefined without a key. Files of earlier sends have
 * the id: with another one, their rows would be sent again.
 */
export async function resolveAccountId(context: Context): Promise<string | undefined> {
  const { system } = context
  const [{ baseUrl }, connected] = [await context.settings(), await context.connection()]
  const key = await connected.key()
  if (key === undefined) return undefined
  const mark = keyPrefix(key)
  return (
    readAccountCache(system)[accountCacheKey(baseUrl.value, mark)] ??
    (await fetchAccountId(context, baseUrl.value, mark)) ??
    `key ${mark}`
  )
}

async function fetchAccountId(context: Context, baseUrl: string, mark: string): Promise<string | undefined> {
  const email = await context.call(user.me, {}).then(
    (it) => it.email,
    (error: ClientFailure) => {
      if (error.status !== 403 && error.status !== 404) throw error
      return undefined
    },
  )
  if (typeof email !== 'string' || email === '') return undefined
  writeAccountCache(context.system, accountCacheKey(baseUrl, mark), hashEmail(email))
  return hashEmail(email)
}

/** Caches the account of the current key from a response of `user.me`. */
export async function cacheAccountId(context: Context, answer: unknown): Promise<void> {
  const { email } = (answer ?? {}) as { readonly email?: unknown }
  const [{ baseUrl }, mark] = [await context.settings(), await currentKeyMark(context)]
  if (typeof email === 'string' && email !== '' && mark !== undefined)
    writeAccountCache(context.system, accountCacheKey(baseUrl.value, mark), hashEmail(email))
}

/** Caches the account of a key, so that what was done with another key of the account stays its own. */
export const cacheAccountOf = (system: System, { baseUrl }: Settings, key: string, email: string): void =>
  writeAccountCache(system, accountCacheKey(baseUrl.value, keyPrefix(key)), hashEmail(email))

/** Returns the mark of an account. It is cached, and bulk progress is found by it: it never changes. */
const hashEmail = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 12)

/** Stores an account. Never fails; without it, the platform is asked again. */
function writeAccountCache(system: System, name: string, account: string): void {
  const file = accountCacheFile(system)
  const known = readAccountCache(system)
  if (known[name] === account) return
  try {
    makeFolder(dataDir(system))
    replaceFile(file, stringifyJson({ ...known, [name]: account }), { isDurable: false })
  } catch {
    // The folder cannot be written.
  }
}
