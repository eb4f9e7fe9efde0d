import { isOnPlatform, type JournalEntry } from '../../../client/journal/open-operations.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { isSameAccount } from '../connection/account-cache.ts'
import type { Context } from '../context.ts'

/** Returns a check whether a journal entry belongs to the current platform and account. */
export async function readOwnership(context: Context): Promise<(entry: JournalEntry) => boolean> {
  const [{ baseUrl }, connected] = [await context.settings(), await context.connection()]
  const key = await connected.key()
  const mark = key === undefined ? undefined : keyPrefix(key)
  return (entry) =>
    isOnPlatform(entry, connected.platform) &&
    (entry.keyMark === undefined ||
      mark === undefined ||
      isSameAccount(context.system, baseUrl.value, entry.keyMark, mark))
}
