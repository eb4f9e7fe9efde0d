import { calls } from '../../../contract/calls.ts'
import { command } from '../../command.ts'
import { resolveLatest } from '../../latest.ts'
import { sendRequest } from '../../requests.ts'
import { itemShape } from '../../shape.ts'
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
