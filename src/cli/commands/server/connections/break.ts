import { connections } from '../../../../contract/control/connections.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { requestById } from '../../../input/request-by-id.ts'
import { printWriteResult } from '../../../output/print-result.ts'
import { accountFlag, argument, connectionTarget, resolveAccount, view } from './view.ts'

export const breakConnection = command({
  endpoint: connections.break,
  argument,
  flags: [accountFlag],
  examples: ['mail'],
  notes: 'To reactivate it, create it again with the same name and kind.',
  view,
  async run(context, { argument, flags }) {
    const account = await resolveAccount(context, flags.account)
    const answer = await requestById(context, argument, connectionTarget(account), (id) =>
      sendRequest(context, connections.break, { account, id }),
    )
    if (answer) await printWriteResult(context, answer.message, answer.data, 'parley server connections list')
  },
})
