import { calls } from '../../../contract/resources/calls.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { resolveLatest } from '../../input/resolve-latest.ts'
import { itemShape } from '../../output/tables/item-shape.ts'
import { latest, view } from './view.ts'

export const get = command({
  endpoint: calls.get,
  argument: { name: 'id', describe: 'Id of the call' },
  examples: ['1', '2 --fields status,transcript'],
  view,
  async run(context, { argument }) {
    const answer = await sendRequest(context, calls.get, { id: await resolveLatest(context, argument, latest) })
    if (answer) await context.out.record(answer, itemShape({ endpoint: calls.get, view: view as never }) as never)
  },
})
