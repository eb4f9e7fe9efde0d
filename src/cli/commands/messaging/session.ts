import { messaging } from '../../../contract/resources/messaging.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { resolveAddress } from './message-address.ts'
import { senderFlag, toFlag } from './view.ts'

export const session = command({
  endpoint: messaging.session,
  filledFields: ['sender_id', 'recipient_phone'],
  flags: [senderFlag, toFlag],
  examples: ['--sender 1 --to +14155550142', '--sender +14155550170 --to +14155550142 --fields session_status.is_open'],
  notes:
    'The window is open for 24 hours after the last message of the recipient. While the window is open, you can send messages without a template: parley messaging send --text.',
  async run(context, invocation) {
    const answer = await sendRequest(context, messaging.session, { ...(await resolveAddress(context, invocation)) })
    if (!answer) return
    const { settings } = context.out
    if (settings.form !== 'table' || settings.fields) return context.out.record(answer, shape as never)
    // The other fields say in other words whether the window is open.
    const { success: _, session_status, ...about } = answer
    const { can_send_freeform: __, requires_template: ___, message: ____, ...window } = session_status ?? {}
    await context.out.record({ ...about, session_status: window }, shape as never)
  },
})

const shape = {
  view: {
    id: (it: { conversation_id?: number | null }) => it.conversation_id ?? '',
    columns: [
      { key: 'success', title: 'Success', priority: 9, kind: 'bool' },
      { key: 'has_conversation', title: 'Conversation', priority: 1, kind: 'bool' },
      { key: 'conversation_id', title: 'Conversation id', priority: 1, kind: 'number' },
      { key: 'customer_name', title: 'Customer', priority: 1 },
      { key: 'last_customer_message_at', title: 'Last message', priority: 1, kind: 'time' },
      { key: 'session_status.is_open', title: 'Window open', priority: 1, kind: 'bool' },
      { key: 'session_status.can_send_freeform', title: 'Without template', priority: 1, kind: 'bool' },
      { key: 'session_status.requires_template', title: 'Needs template', priority: 1, kind: 'bool' },
      { key: 'session_status.message', title: 'Meaning', priority: 1 },
      { key: 'session_status.minutes_remaining', title: 'Minutes left', priority: 1, kind: 'number' },
      { key: 'session_status.expires_at', title: 'Closes', priority: 1, kind: 'time' },
      { key: 'session_status.expired_at', title: 'Closed', priority: 1, kind: 'time' },
    ],
    empty: '',
  },
}
