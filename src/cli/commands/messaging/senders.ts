import { messaging } from '../../../contract/resources/messaging.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { senderView } from './view.ts'

export const senders = command({
  endpoint: messaging.senders,
  examples: ['', '--status all', '-o id'],
  view: senderView,
  run: (context, { input }) => printList(context, messaging.senders, input),
})
