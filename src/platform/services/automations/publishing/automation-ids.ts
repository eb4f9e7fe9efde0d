import type { Micros } from '../../../../contract/values/micros.ts'
import { isIdTaken } from '../../../store/automations/automations.ts'
import { acrossAccounts } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Length of the id of an automation, a version or a run, in characters. Addresses of webhooks have such ids. */
export const idLength = 21

type Table = 'automation' | 'automation_version' | 'automation_run'

/** Returns a new run id of an account. It cannot be guessed, and carries its account except on a seeded platform. */
export const newRunId = async (
  query: AccountQuery,
  deps: Pick<Deps, 'secret' | 'isSeeded' | 'accountIds'>,
  account: number,
  now: Micros,
): Promise<string> =>
  deps.isSeeded() ? newId(query, deps, 'automation_run', String(now)) : deps.accountIds.newRunId(account, now)

/**
 * Returns a new id, in the caller's transaction. It is random, or derived from the history on a seeded platform: there,
 * another text in `about` gives other ids than tests of users have.
 */
export async function newId(
  query: AccountQuery,
  { secret, isSeeded }: Pick<Deps, 'secret' | 'isSeeded'>,
  table: Table,
  about: string,
): Promise<string> {
  if (!isSeeded()) return secret('', idLength)
  for (let n = 0; ; n++) {
    const id = secret(`${table} ${about} ${n}`, idLength)
    if (!(await isIdTaken(acrossAccounts(query), table, id))) return id
  }
}
