import { Failure } from '../../../contract/errors/failures.ts'
import { type AccountRow, findAccount } from '../../store/accounts/accounts.ts'
import type { Deps } from './deps.ts'

/** Returns the account that an authenticated user of the inspector acts for. @throws Failure `accounts.not_found` */
export async function findActingAccount({ connection }: Pick<Deps, 'connection'>, id: number): Promise<AccountRow> {
  const account = await findAccount(connection.read, id)
  if (!account) throw new Failure('accounts.not_found')
  return account
}
