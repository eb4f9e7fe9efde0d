import { Failure } from '../../../contract/errors/failures.ts'
import { type AccountRow, findAccount } from '../../store/accounts/accounts.ts'
import type { Query } from '../../store/database/connection.ts'

/** Returns an account. @throws Failure `accounts.not_found` */
export async function requireAccount(query: Query, id: number): Promise<AccountRow> {
  const account = await findAccount(query, id)
  if (!account) throw new Failure('accounts.not_found')
  return account
}
