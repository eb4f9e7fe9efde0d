import { campaigns } from '../../../contract/resources/campaigns.ts'
import { getCommand } from '../../commandline/get-command.ts'
import { assistantNames } from './assistant-names.ts'
import { argument, target, view } from './view.ts'

export const get = getCommand({
  endpoint: campaigns.get,
  argument,
  examples: ['1', '"Call back" -o yaml'],
  view,
  target,
  async toShown(context, campaign) {
    const { assistant_id: assistant } = campaign
    const name = assistant === null ? undefined : (await assistantNames(context)).get(assistant as number)
    // Machine output keeps the id.
    return name === undefined ? campaign : { ...campaign, assistant_id: `${name} (${assistant})` }
  },
})
