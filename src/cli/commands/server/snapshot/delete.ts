import { snapshots } from '../../../../contract/snapshots.ts'
import { command } from '../../../command.ts'
import { requireConfirmation } from '../../../consent.ts'
import { printMessage } from '../../../deletion.ts'
import { previewRequest } from '../../../requests.ts'
import { argument, nameOf } from './view.ts'

export const remove = command({
  endpoint: snapshots.delete,
  argument: { ...argument, optional: true },
  examples: ['before-tests', 'before-tests --yes'],
  async run(context, { argument: given }) {
    const name = await nameOf(context, given)
    if (await previewRequest(context, snapshots.delete, { name })) return
    await requireConfirmation(context, { question: `Delete the snapshot "${name}"?`, refusalMessage: `Deleting the snapshot "${name}" cannot be undone and needs consent.` })
    const { message } = await context.call(snapshots.delete, { name })
    await printMessage(context, message, name)
  },
})
