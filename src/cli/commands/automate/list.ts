import { automate } from '../../../contract/automate.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: automate.list,
  examples: ['', '--json', '--fields id,name,status'],
  view,
  run: (context, { input }) => printList(context, automate.list, input),
})
