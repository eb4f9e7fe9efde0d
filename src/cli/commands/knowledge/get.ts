import { knowledge } from '../../../contract/resources/knowledge.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { itemShape } from '../../output/item-shape.ts'
import { argument, target, view } from './view.ts'

export const get = command({
  endpoint: knowledge.get,
  argument,
  examples: ['1', '"Practice handbook" -o yaml'],
  view,
  async run(context, { argument: given }) {
    const answer = await sendRequest(context, knowledge.get, { id: await resolveId(context, given, target) })
    if (answer) await context.out.record(answer.data, itemShape(get) as never)
  },
})
