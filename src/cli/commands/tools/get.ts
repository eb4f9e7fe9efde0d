import { tools } from '../../../contract/tools.ts'
import { command } from '../../command.ts'
import { sendRequest } from '../../requests.ts'
import { itemShape } from '../../shape.ts'
import { resolveId } from '../../target.ts'
import { maskToolCredentials, unmaskFlag } from './secrets.ts'
import { target, view } from './view.ts'

export const get = command({
  endpoint: tools.get,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [unmaskFlag],
  examples: ['1', 'lookup_patient -o yaml', '1 --unmask'],
  view,
  async run(context, { argument, flags }) {
    const tool = await sendRequest(context, tools.get, { id: await resolveId(context, argument, target) })
    if (tool) await context.out.record(flags.unmask ? tool : maskToolCredentials(tool), itemShape({ endpoint: tools.get }) as never)
  },
})
