import { campaigns } from '../../../contract/campaigns.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { shapeOf } from '../../shape.ts'
import { resolveId } from '../../target.ts'
import { argument, target, view } from './view.ts'

export const get = command({
  endpoint: campaigns.get,
  argument,
  examples: ['1', '"Call back" -o yaml'],
  view,
  async run(context, { argument }) {
    const answer = await send(context, campaigns.get, { id: await resolveId(context, argument, target) })
    if (answer) await context.out.record(answer.data, shapeOf(context.command) as never)
  },
})
