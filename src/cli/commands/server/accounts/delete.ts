import { accounts } from '../../../../contract/control/accounts.ts'
import { command } from '../../../commandline/command.ts'
import { deleteResource } from '../../../consent/delete-resource.ts'
import { accountTarget } from './update.ts'

export const remove = command({
  endpoint: accounts.delete,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['2'],
  run: (context, invocation) =>
    deleteResource(context, invocation, {
      endpoint: accounts.delete,
      target: accountTarget,
      buildQuestion: (called) =>
        `Delete account ${called}? Its keys, numbers, assistants and all other data are deleted.`,
    }),
})
