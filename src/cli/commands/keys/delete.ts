import { keys } from '../../../contract/keys.ts'
import { command } from '../../command.ts'
import { deletion } from '../../deletion.ts'
import { target } from './view.ts'

export const remove = command({
  endpoint: keys.delete,
  argument: { name: 'id', describe: 'Id or name of the key' },
  examples: ['2', 'ci --yes'],
  run: (context, invocation) =>
    deletion(context, invocation, { endpoint: keys.delete, target, ask: (id) => `Delete API key ${id}? Whatever uses it stops working.` }),
})
