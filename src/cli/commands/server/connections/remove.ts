import { connections } from '../../../../contract/control/connections.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { printMessage } from '../../../consent/delete-resource.ts'
import { requireConfirmation } from '../../../consent/require-confirmation.ts'
import { resolveId } from '../../../input/resolve-target.ts'
import { accountFlag, argument, connectionTarget, resolveAccount } from './view.ts'

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
      question: `Delete connection ${id}? Automations that use it will fail.`,
      refusalMessage: `Deleting connection ${id} cannot be undone and requires confirmation.`,
    })
    await printMessage(context, (await context.call(connections.remove, { account, id })).message, id)
  },
})
