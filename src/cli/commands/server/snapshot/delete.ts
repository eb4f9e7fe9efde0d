import { snapshots } from '../../../../contract/snapshots.ts'
import { command } from '../../../command.ts'
import { consent } from '../../../consent.ts'
import { confirmDone } from '../../../deletion.ts'
import { showOnly } from '../../../requests.ts'
import { argument, nameOf } from './view.ts'

export const remove = command({
  endpoint: snapshots.delete,
  argument: { ...argument, optional: true },
  examples: ['before-tests', 'before-tests --yes'],
  async run(context, { argument: given }) {
    const name = await nameOf(context, given)
    if (await showOnly(context, snapshots.delete, { name })) return
    await consent(context, { ask: `Delete the snapshot "${name}"?`, without: `Deleting the snapshot "${name}" cannot be undone and needs consent.` })
    const { message } = await context.call(snapshots.delete, { name })
    await confirmDone(context, message, name)
  },
})
