import { calls } from '../../../contract/resources/calls.ts'
import { deleteCommand } from '../../commandline/delete-command.ts'
import { target } from './view.ts'

export const remove = deleteCommand({
  endpoint: calls.delete,
  argument: { name: 'id', describe: 'Id of the call' },
  examples: ['1', '1 --yes'],
  notes:
    'Deletes the call with its transcript and its recording. A call in progress is hung up first. Its charges are not refunded, except those of a call that was not answered.',
  target,
  buildQuestion: (called) => ({
    question: `Delete call ${called} with its transcript? This cannot be undone.`,
    refusalMessage: `Deleting call ${called} cannot be undone and requires confirmation.`,
  }),
})
