import { hashSecret, issueKey } from '../../services/runtime/api-keys.ts'
import { listAccounts } from '../../store/accounts/accounts.ts'
import { findKeyByHash } from '../../store/accounts/api-keys.ts'
import type { Query } from '../../store/database/connection.ts'
import type { ControlDeps } from '../sample-data/fill-platform.ts'
import { writeCredentials } from './credentials.ts'

/** Returns the key whose secret is in the credentials file, if it is in the database. */
export async function findLocalKey(query: Query, secret: string): Promise<string | undefined> {
  const row = await findKeyByHash(query, hashSecret(secret))
  return row && `${row.id}|${secret}`
}

/**
 * Inserts a key with the file's secret for the first account. This is needed when another host filled the database,
 * which then has no key of this folder.
 */
export async function insertLocalKey({ connection, clock, credentials }: ControlDeps): Promise<string | null> {
  return connection.write('everything', async (query) => {
    // Another process with the same file may have inserted it first.
    const known = await findLocalKey(query, credentials.current.secret)
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

/** Makes a token the key of the folder, replacing a deleted one. */
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
