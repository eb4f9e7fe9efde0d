import { accounts } from '../../../../contract/control.ts'
import { command } from '../../../command.ts'
import { deletion } from '../../../deletion.ts'
import { target } from './update.ts'

export const remove = command({
  endpoint: accounts.delete,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['2'],
  run: (context, invocation) =>
    deletion(context, invocation, {
      endpoint: accounts.delete,
      target,
      ask: (called) => `Delete account ${called}? Its keys, numbers, assistants and everything else are gone.`,
    }),
})
