import { knowledge } from '../../../contract/resources/knowledge.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { requestById } from '../../input/request-by-id.ts'
import { itemShape } from '../../output/item-shape.ts'
import { argument, target, view } from './view.ts'

export const get = command({
  endpoint: knowledge.get,
  argument,
  examples: ['1', '"Practice handbook" -o yaml'],
  view,
  async run(context, { argument: given }) {
    const answer = await requestById(context, given, target, (id) => sendRequest(context, knowledge.get, { id }))
    if (answer) await context.out.record(answer.data, itemShape(get) as never)
  },
})
