import type { ListedMessage } from '../../../contract/resources/message-records.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { listCommand } from '../../commandline/list-command.ts'
import type { View } from '../../output/form.ts'
import { senderFlag, senderTarget } from './view.ts'

const view: View<ListedMessage> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'sender_id', title: 'Sender', priority: 3, kind: 'number' },
    { key: 'recipient_phone', title: 'Recipient', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'template_id', title: 'Template', priority: 4, kind: 'number' },
    { key: 'body', title: 'Text', priority: 2, flexible: true },
    { key: 'error', title: 'Error', priority: 3, flexible: true },
    { key: 'cost', title: 'Cost', priority: 2, kind: 'money' },
    { key: 'created_at', title: 'Sent', priority: 2, kind: 'time' },
  ],
  empty: 'No messages sent.',
}

export const list = listCommand({
  endpoint: messaging.list,
  filter: { flag: senderFlag, target: senderTarget },
  elsewhere: 'List the conversations of the channel: parley conversations list --type messaging.',
  examples: [
    '',
    '--sender +14155550170 --status failed',
    '--recipient-phone +14155550142 --limit 5',
    '--all -o ndjson',
  ],
  notes:
    'Messages of "messaging send", of campaigns and of their fallback, newest first. Received messages are in "parley conversations".',
  view,
})
