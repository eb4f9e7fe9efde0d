import { snapshots } from '../../../../contract/control/snapshots.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { argument, view } from './view.ts'

export const save = command({
  endpoint: snapshots.save,
  filledFields: ['name'],
  argument: { ...argument, optional: true },
  examples: ['', 'before-tests', 'before-tests --replace --json'],
  notes:
    'A running server continues to work. Snapshots are stored in snapshots/ of the data folder, readable only by you: they contain keys and conversations. For data in PostgreSQL, use the tools of PostgreSQL.',
  view,
  async run(context, { argument: name, input }) {
    const answer = await sendRequest(
      context,
      snapshots.save,
      { ...input, ...(name !== undefined && { name }) },
      { progressText: 'Saving' },
    )
    if (!answer) return
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields) return out.record(answer.data, { view } as never)
    await out.done(`${answer.message} Name: ${answer.data.name}`)
    await notes.note(`Next: parley server snapshot restore ${answer.data.name}`)
  },
})
