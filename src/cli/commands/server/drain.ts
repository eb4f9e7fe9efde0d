import { nodes } from '../../../contract/control/nodes.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { resolveItem } from '../../input/resolve-target.ts'
import { nodeTarget } from './node-view.ts'

export const drain = command({
  endpoint: nodes.drain,
  argument: { name: 'node', describe: 'Id, URL or host of the server' },
  examples: ['web-2', 'http://10.0.0.7:4010'],
  notes:
    'The server reports that it is not ready, starts no more jobs, finishes requests and jobs in progress, releases its leases, and exits with code 0. A server on another machine notices within a second or two.',
  async run(context, { argument }) {
    const id = String((await resolveItem(context, argument, nodeTarget)).id)
    const answer = await sendRequest(context, nodes.drain, { id })
    if (answer) await printMessage(context, answer.message, id)
  },
})
