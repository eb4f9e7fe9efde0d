import { campaigns } from '../../../contract/campaigns.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: campaigns.list,
  examples: ['', '--json', '--fields id,name,status'],
  view,
  run: (context, { input }) => printList(context, campaigns.list, input),
})
