import { campaigns } from '../../../contract/campaigns.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { assistantNames } from './assistant-names.ts'
import { view, viewWith } from './view.ts'

export const list = command({
  endpoint: campaigns.list,
  examples: ['', '--json', '--fields id,name,status'],
  view,
  run: async (context, { input }) => printList(context, campaigns.list, input, { view: viewWith(await assistantNames(context)) as never }),
})
