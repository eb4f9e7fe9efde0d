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
    'A server may go on working meanwhile. Snapshots are files of the data folder, below snapshots/, for their owner alone: they hold keys and what people said. Data in PostgreSQL is saved with its own tools.',
  view,
  async run(context, { argument: name, input }) {
    const answer = await sendRequest(
      context,
      snapshots.save,
      { ...input, ...(name !== undefined && { name }) },
      'Saving',
    )
    if (!answer) return
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields) return out.record(answer.data, { view } as never)
    await out.line(`${answer.message} Name: ${answer.data.name}`)
    await notes.note(`Next: parley server snapshot restore ${answer.data.name}`)
  },
})
