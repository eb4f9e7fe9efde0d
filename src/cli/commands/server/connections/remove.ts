import { connections } from '../../../../contract/control/connections.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { printMessage } from '../../../consent/delete-resource.ts'
import { requireConfirmation } from '../../../consent/require-confirmation.ts'
import { withListHint } from '../../../input/request-by-id.ts'
import { resolveId } from '../../../input/resolve-target.ts'
import { accountFlag, argument, connectionTarget, resolveAccount } from './view.ts'

export const remove = command({
  endpoint: connections.remove,
  argument,
  flags: [accountFlag],
  examples: ['mail --yes'],
  async run(context, { argument, flags }) {
    const account = await resolveAccount(context, flags.account)
    const target = connectionTarget(account)
    const id = await resolveId(context, argument, target)
    if (await previewRequest(context, connections.remove, { account, id })) return
    await requireConfirmation(context, {
      question: `Delete connection ${id}? Automations that use it will fail.`,
      refusalMessage: `Deleting connection ${id} cannot be undone and requires confirmation.`,
    })
    const { message } = await withListHint(target, () => context.call(connections.remove, { account, id }))
    await printMessage(context, message, id)
  },
})
