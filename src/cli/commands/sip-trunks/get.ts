import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { requestById } from '../../input/request-by-id.ts'
import { itemShape } from '../../output/item-shape.ts'
import { argument, target, view } from './view.ts'

export const get = command({
  endpoint: sipTrunks.get,
  argument,
  examples: ['1', 'Reception -o yaml'],
  notes: 'Digits are read as an id, or as a number if no such id exists.',
  view,
  async run(context, { argument: given }) {
    const answer = await requestById(context, given, target, (id) => sendRequest(context, sipTrunks.get, { id }))
    if (answer) await context.out.record(answer.data, itemShape({ endpoint: sipTrunks.get }) as never)
  },
})
