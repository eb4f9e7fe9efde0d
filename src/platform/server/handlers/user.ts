import type { user } from '../../../contract/resources/user.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import type { HandlersOf } from './handler.ts'

/**
 * Creates the handlers of the user. `total_balance` is in the account's unit: credits for tenants, minutes for direct
 * users.
 */
export function userHandlers(): HandlersOf<typeof user> {
  return {
    me: (_, { account }) => ({
      name: account.name,
      email: account.email,
      total_balance: fromMillionths(account.balance),
    }),
  }
}
