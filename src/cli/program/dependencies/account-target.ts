import { accounts } from '../../../contract/control/accounts.ts'
import type { Target } from '../resources/resource.ts'

/** How an account of the local platform is found. */
export const accountTarget: Target = {
  singular: 'account',
  list: accounts.list,
  listCommand: 'server accounts list',
  by: ['name', 'email'],
  label: (it) => `${it.name} (${it.id})`,
}
