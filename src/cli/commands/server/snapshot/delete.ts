import { snapshots } from '../../../../contract/control/snapshots.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import { printMessage } from '../../../consent/delete-resource.ts'
import { requireConfirmation } from '../../../consent/require-confirmation.ts'
import { argument, nameOf } from './view.ts'

export const remove = command({
  endpoint: snapshots.delete,
  argument: { ...argument, optional: true },
  examples: ['before-tests', 'before-tests --yes'],
  async run(context, { argument: given }) {
    const name = await nameOf(context, given)
    if (await previewRequest(context, snapshots.delete, { name })) return
    await requireConfirmation(context, {
      question: `Delete snapshot "${name}"?`,
      refusalMessage: `Deleting snapshot "${name}" cannot be undone and requires confirmation.`,
    })
    const { message } = await context.call(snapshots.delete, { name })
    await printMessage(context, message, name)
  },
})
