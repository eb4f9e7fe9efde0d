import { tools } from '../../../contract/tools.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { shapeOf } from '../../shape.ts'
import { resolveId } from '../../target.ts'
import { maskedTool, unmaskFlag } from './secrets.ts'
import { target, view } from './view.ts'

export const get = command({
  endpoint: tools.get,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [unmaskFlag],
  examples: ['1', 'lookup_patient -o yaml', '1 --unmask'],
  view,
  async run(context, { argument, flags }) {
    const tool = await send(context, tools.get, { id: await resolveId(context, argument, target) })
    if (tool) await context.out.record(flags.unmask ? tool : maskedTool(tool), shapeOf({ endpoint: tools.get }) as never)
  },
})
