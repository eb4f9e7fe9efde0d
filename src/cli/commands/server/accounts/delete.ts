import { accounts } from '../../../../contract/control/accounts.ts'
import { deleteCommand } from '../../../commandline/delete-command.ts'
import { accountTarget } from './update.ts'

export const remove = deleteCommand({
  endpoint: accounts.delete,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['2'],
  target: accountTarget,
  buildQuestion: (called) => `Delete account ${called}? Its keys, numbers, assistants and all other data are deleted.`,
})
