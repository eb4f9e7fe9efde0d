import { knowledge } from '../../../contract/knowledge.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: knowledge.list,
  examples: ['', '--fields id,name,status'],
  view,
  run: (context, { input }) => printList(context, knowledge.list, input),
})
