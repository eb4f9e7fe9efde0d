import { calls } from '../../../contract/resources/calls.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { followCall } from './follow-call.ts'
import { latest, view } from './view.ts'

export const follow = command({
  endpoint: calls.get,
  summary: 'Print the transcript of a call until it has ended',
  argument: { name: 'id', describe: 'Id of the call' },
  exits: ['finding', 'interrupted'],
  examples: ['2', '2 --json'],
  notes:
    'Prints status changes and the transcript as it grows, then the duration, the cost and the variables. With --json, the ended call is printed. The exit code is 20 when the customer was not reached.',
  view,
  async run(context, { argument }) {
    const id = await resolveLatest(context, argument, latest)
    const call = await sendRequest(context, calls.get, { id })
    return call && followCall(context, Number(id), call)
  },
})
