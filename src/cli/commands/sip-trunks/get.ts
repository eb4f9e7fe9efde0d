import { sipTrunks } from '../../../contract/sip-trunks.ts'
import { command } from '../../command.ts'
import { sendRequest } from '../../requests.ts'
import { itemShape } from '../../shape.ts'
import { resolveId } from '../../target.ts'
import { argument, target, view } from './view.ts'

export const get = command({
  endpoint: sipTrunks.get,
  argument,
  examples: ['1', 'Reception -o yaml'],
  notes: 'Digits are an id; where there is no such id, a number.',
  view,
  async run(context, { argument: given }) {
    const answer = await sendRequest(context, sipTrunks.get, { id: await resolveId(context, given, target) })
    if (answer) await context.out.record(answer.data, itemShape({ endpoint: sipTrunks.get }) as never)
  },
})
