import { tools } from '../../../contract/resources/tools.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { requestById } from '../../input/request-by-id.ts'
import { itemShape } from '../../output/item-shape.ts'
import { maskToolCredentials, unmaskFlag } from '../../secrets/tool-credentials.ts'
import { target, view } from './view.ts'

export const get = command({
  endpoint: tools.get,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [unmaskFlag],
  examples: ['1', 'lookup_patient -o yaml', '1 --unmask'],
  view,
  async run(context, { argument, flags }) {
    const tool = await requestById(context, argument, target, (id) => sendRequest(context, tools.get, { id }))
    if (tool)
      await context.out.record(
        flags.unmask ? tool : maskToolCredentials(tool),
        itemShape({ endpoint: tools.get }) as never,
      )
  },
})
