import { knowledge } from '../../../contract/knowledge.ts'
import { command } from '../../command.ts'
import { sendRequest } from '../../requests.ts'
import { itemShape } from '../../shape.ts'
import { resolveId } from '../../target.ts'
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
