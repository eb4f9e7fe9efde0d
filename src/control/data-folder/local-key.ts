import { hashSecret, issueKey } from '../../services/runtime/api-keys.ts'
import { listAccounts } from '../../store/accounts/accounts.ts'
import { findKeyByHash as find } from '../../store/accounts/api-keys.ts'
import type { Query } from '../../store/database/connection.ts'
import type { ControlDeps } from '../seed/fill-platform.ts'
import { writeCredentials } from './credentials.ts'

/** The key whose secret is in the credentials file, when the database has it. */
export async function findKeyByHash(query: Query, secret: string): Promise<string | undefined> {
  const row = await find(query, hashSecret(secret))
  return row && `${row.id}|${secret}`
}

/** Gives the first account a key with the file's secret: another host filled this database, and this one has no key to it yet. */
export async function insertLocalKey({ connection, clock, credentials }: ControlDeps): Promise<string | null> {
  return connection.write(async (query) => {
    // Another process with the same file may have been first.
    const known = await findKeyByHash(query, credentials.current.secret)
    if (known) return known
    const [account] = await listAccounts(query)
    if (!account) return null
    const { token } = await issueKey(query, {
      account: account.id,
      name: 'local',
      secret: credentials.current.secret,
      now: await clock.now(query),
    })
    return token
  })
}

/** Makes a token the folder's own key, in the place of one that was deleted. */
export function replaceLocalKey(
  { credentials, dataDir }: Pick<ControlDeps, 'credentials' | 'dataDir'>,
  token: string,
): void {
  credentials.current = writeCredentials(dataDir, {
    ...credentials.current,
    secret: token.slice(token.indexOf('|') + 1),
    key: token,
  })
}
