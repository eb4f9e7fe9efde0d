import { automate } from '../../../contract/resources/automate.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: automate.list,
  examples: ['', '--json', '--fields id,name,status'],
  view,
  run: (context, { input }) => printList(context, automate.list, input),
})
