import { knowledge } from '../../../contract/resources/knowledge.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: knowledge.list,
  examples: ['', '--fields id,name,status'],
  view,
  run: (context, { input }) => printList(context, knowledge.list, input),
})
