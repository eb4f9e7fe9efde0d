import { sipTrunks } from '../../../contract/sip-trunks.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: sipTrunks.list,
  examples: ['', '--json', '-o id'],
  view,
  run: (context, { input }) => printList(context, sipTrunks.list, input),
})
