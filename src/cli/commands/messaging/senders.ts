import { messaging } from '../../../contract/messaging.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { senderView } from './view.ts'

export const senders = command({
  endpoint: messaging.senders,
  examples: ['', '--status all', '-o id'],
  view: senderView,
  run: (context, { input }) => printList(context, messaging.senders, input),
})
