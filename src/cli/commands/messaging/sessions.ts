import type { ListedSession } from '../../../contract/resources/message-records.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { listCommand } from '../../commandline/list-command.ts'
import type { View } from '../../output/form.ts'
import { senderFlag, senderTarget } from './view.ts'

const view: View<ListedSession> = {
  id: (it) => it.conversation_id,
  columns: [
    { key: 'sender_id', title: 'Sender', priority: 2, kind: 'number' },
    { key: 'recipient_phone', title: 'Recipient', priority: 1 },
    { key: 'customer_name', title: 'Customer', priority: 2 },
    { key: 'last_customer_message_at', title: 'Last message', priority: 3, kind: 'time' },
    { key: 'session_status.is_open', title: 'Open', priority: 2, kind: 'bool' },
    { key: 'session_status.minutes_remaining', title: 'Minutes left', priority: 1, kind: 'number' },
    { key: 'session_status.expires_at', title: 'Closes', priority: 2, kind: 'time' },
    { key: 'session_status.expired_at', title: 'Closed', priority: 3, kind: 'time' },
    { key: 'conversation_id', title: 'Conversation id', priority: 4, kind: 'number' },
  ],
  empty: 'No open windows. List all windows: parley messaging sessions --status all.',
}

export const sessions = listCommand({
  endpoint: messaging.sessions,
  filter: { flag: senderFlag, target: senderTarget },
  elsewhere: 'Show the window of one recipient: parley messaging session --sender <id> --to <number>.',
  examples: ['', '--sender +14155550170 --limit 5', '--status closed', '--all -o ndjson'],
  notes:
    'Sorted by the most recently opened window. While a window is open, you can send messages without a template: parley messaging send --text.',
  view,
})
