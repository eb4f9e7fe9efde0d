import { tools } from '../../../contract/tools.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { shapeOf } from '../../shape.ts'
import { resolveId } from '../../target.ts'
import { target, view } from './view.ts'

export const get = command({
  endpoint: tools.get,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  examples: ['1', 'lookup_patient -o yaml'],
  view,
  async run(context, { argument }) {
    const tool = await send(context, tools.get, { id: await resolveId(context, argument, target) })
    if (tool) await context.out.record(tool, shapeOf({ endpoint: tools.get }) as never)
  },
})
