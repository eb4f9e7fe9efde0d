import { deliveries } from '../../../../contract/control/deliveries.ts'
import { command } from '../../../commandline/command.ts'
import { printList } from '../../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: deliveries.list,
  examples: ['', '--failed --since 24h', '--event conversation_ended --json'],
  view,
  run: (context, { input }) => printList(context, deliveries.list, input),
})
