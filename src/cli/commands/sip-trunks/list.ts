import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: sipTrunks.list,
  examples: ['', '--json', '-o id'],
  view,
  run: (context, { input }) => printList(context, sipTrunks.list, input),
})
