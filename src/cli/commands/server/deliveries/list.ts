import { deliveries } from '../../../../contract/deliveries.ts'
import { command } from '../../../command.ts'
import { printList } from '../../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: deliveries.list,
  examples: ['', '--failed --since 24h', '--event conversation_ended --json'],
  view,
  run: (context, { input }) => printList(context, deliveries.list, input),
})
