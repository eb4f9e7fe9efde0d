import { connections } from '../../../../contract/connections.ts'
import { command } from '../../../command.ts'
import { requireConfirmation } from '../../../consent.ts'
import { printMessage } from '../../../deletion.ts'
import { previewRequest } from '../../../requests.ts'
import { resolveId } from '../../../target.ts'
import { accountFlag, resolveAccount, argument, connectionTarget } from './view.ts'

export const remove = command({
  endpoint: connections.remove,
  argument,
  flags: [accountFlag],
  examples: ['mail --yes'],
  async run(context, { argument, flags }) {
    const account = await resolveAccount(context, flags.account)
    const id = await resolveId(context, argument, connectionTarget(account))
    if (await previewRequest(context, connections.remove, { account, id })) return
    await requireConfirmation(context, {
      question: `Take connection ${id} away? Automations that use it fail.`,
      refusalMessage: `Taking connection ${id} away cannot be undone and needs consent.`,
    })
    await printMessage(context, (await context.call(connections.remove, { account, id })).message, id)
  },
})
