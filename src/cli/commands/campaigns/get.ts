import { campaigns } from '../../../contract/resources/campaigns.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { requestById } from '../../input/request-by-id.ts'
import { itemShape } from '../../output/item-shape.ts'
import { assistantNames } from './assistant-names.ts'
import { argument, target, view } from './view.ts'

export const get = command({
  endpoint: campaigns.get,
  argument,
  examples: ['1', '"Call back" -o yaml'],
  view,
  async run(context, { argument }) {
    const answer = await requestById(context, argument, target, (id) => sendRequest(context, campaigns.get, { id }))
    if (!answer) return
    const { assistant_id: assistant } = answer.data
    const name = assistant === null ? undefined : (await assistantNames(context)).get(assistant)
    // Machine output keeps the id.
    const shown = name === undefined ? answer.data : { ...answer.data, assistant_id: `${name} (${assistant})` }
    await context.out.record(shown, itemShape(context.command) as never)
  },
})
