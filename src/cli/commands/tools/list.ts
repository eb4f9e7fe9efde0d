import { tools } from '../../../contract/tools.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: tools.list,
  examples: ['', '--json', '--fields id,name,endpoint'],
  view,
  run: (context, { input }) => printList(context, tools.list, input),
})
