import { connections } from '../../../../contract/connections.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { resolveId } from '../../../target.ts'
import { accountFlag, accountId, argument, targetOf, view } from './view.ts'

export const breakConnection = command({
  endpoint: connections.break,
  argument,
  flags: [accountFlag],
  examples: ['mail'],
  notes: 'Add it again to make it work.',
  view,
  async run(context, { argument, flags }) {
    const account = await accountId(context, flags.account)
    const id = await resolveId(context, argument, targetOf(account))
    const answer = await send(context, connections.break, { account, id })
    if (answer) await printMade(context, answer.message, answer.data, 'parley server connections list')
  },
})
