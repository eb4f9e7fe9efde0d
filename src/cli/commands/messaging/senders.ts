import { messaging } from '../../../contract/resources/messaging.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { senderView } from './view.ts'

export const senders = listCommand({
  endpoint: messaging.senders,
  examples: ['', '--status all', '-o id'],
  view: senderView,
})
