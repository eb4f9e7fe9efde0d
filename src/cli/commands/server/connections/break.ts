import { connections } from '../../../../contract/connections.ts'
import { command } from '../../../command.ts'
import { sendRequest } from '../../../requests.ts'
import { printWriteResult } from '../../../result.ts'
import { resolveId } from '../../../target.ts'
import { accountFlag, resolveAccount, argument, connectionTarget, view } from './view.ts'

export const breakConnection = command({
  endpoint: connections.break,
  argument,
  flags: [accountFlag],
  examples: ['mail'],
  notes: 'Add it again to make it work.',
  view,
  async run(context, { argument, flags }) {
    const account = await resolveAccount(context, flags.account)
    const id = await resolveId(context, argument, connectionTarget(account))
    const answer = await sendRequest(context, connections.break, { account, id })
    if (answer) await printWriteResult(context, answer.message, answer.data, 'parley server connections list')
  },
})
