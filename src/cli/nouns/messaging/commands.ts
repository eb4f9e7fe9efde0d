// Commands of `messaging`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import type { ListedMessage, ListedSession } from '../../../contract/resources/message-records.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { stateText } from '../../../contract/values/states.ts'
import { command } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { updateCommand } from '../../program/commandline/update-command.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { normalizePhoneNumber } from '../../program/input/phone-number.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import { listItems, resolveId, selectItem } from '../../program/input/resolve-target.ts'
import type { View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import type { Target } from '../../program/resources/resource.ts'
import { localReceipt } from './local-receipt.ts'
import { resolveAddress } from './message-address.ts'
import {
  assignmentTarget,
  assignmentView,
  senderFlag,
  senderTarget,
  senderView,
  templateTarget,
  templateView,
  toFlag,
} from './view.ts'
import { messageWait, templateWait } from './wait.ts'

export const assign = updateCommand({
  endpoint: messaging.updateAssignment,
  argument: { name: 'id', describe: 'Id, number or name of the sender' },
  examples: ['5 --assistant-id "Front desk"', '+14155550170 --assistant-id null'],
  notes:
    'The assistant answers new conversations of the sender. Existing conversations keep their assistant. A sender without an assistant cannot send or receive messages.',
  elsewhere: 'Assign it in the app of the platform.',
  view: assignmentView,
  target: assignmentTarget,
  changesHint: 'Pass --assistant-id <name>; "null" unassigns it.',
  next: () => 'parley messaging assignments',
})

export const assignments = listCommand({
  endpoint: messaging.listAssignments,
  elsewhere: 'See the assistant of each sender in the app of the platform.',
  examples: ['', '--filter status=online', '--json'],
  notes: 'Senders of every status. The assistant of a sender answers those who write to it.',
  view: assignmentView,
})

/** Number of messages among which one is searched. */
const maxSearched = 1000

/** How sent messages are shown to people: titles and columns may change. Programs get the fields of the contract. */
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

export const get = command({
  endpoint: messaging.list,
  summary: 'Show a message of a messaging sender',
  argument: { name: 'id', describe: 'Id of the message' },
  filledFields: Object.keys(messaging.list.query.shape),
  flags: [senderFlag, toFlag],
  elsewhere: 'List the conversations of the channel: parley conversations list --type messaging.',
  examples: ['1', '1 --sender +14155550170 --json'],
  notes: `The platform has no endpoint for a single message, so the command searches the newest ${maxSearched} messages. --sender and --to make the search smaller.`,
  view,
  waits: messageWait,
  async run(context, { argument, flags }) {
    if (argument === undefined && !context.interactive)
      throw usageError('Missing message. Pass its id.', 'List messages: parley messaging list.')
    const sender_id =
      flags.sender === undefined ? undefined : await resolveId(context, String(flags.sender), senderTarget, '--sender')
    const recipient_phone = flags.to === undefined ? undefined : String(flags.to)
    const within = {
      ...(sender_id !== undefined && { sender_id }),
      ...(recipient_phone !== undefined && {
        recipient_phone: (await normalizePhoneNumber(recipient_phone)) ?? recipient_phone,
      }),
    }
    const target: Target = {
      singular: 'message',
      list: messaging.list,
      within,
      limit: maxSearched,
      by: [],
      label: (it) => `${it.recipient_phone}, ${it.status}, ${it.created_at} (${it.id})`,
    }
    if (await previewRequest(context, messaging.list, { ...within, per_page: maxPerPage })) return
    const found = await selectItem(context, await listItems(context, target), argument, target)
    context.nameStarted(
      { sender_id: found.sender_id, recipient_phone: found.recipient_phone, id: found.id },
      messageWait,
    )
    await context.out.record(found, itemShape({ endpoint: messaging.list, view }))
    const { status, message_sid } = found
    const receipt = context.out.isForPeople ? await localReceipt(context, status, message_sid) : undefined
    if (receipt !== undefined)
      await context.notes.note(`On the local platform, it stays ${stateText(String(status))} until: ${receipt}`)
  },
})

export const getTemplate = command({
  endpoint: messaging.templates,
  summary: 'Show a message template of a sender',
  argument: { name: 'template', describe: 'Id or name of the template' },
  filledFields: ['status'],
  flags: [{ flags: senderFlag.flags, describe: senderFlag.describe }],
  examples: ['1 --sender 1', 'appointment_reminder --sender +14155550170 --wait=approved --wait-timeout 1d'],
  notes: 'The platform has no endpoint for a single template, so the command searches the list of the sender.',
  view: templateView,
  waits: templateWait,
  async run(context, { argument, flags }) {
    const sender = flags.sender === undefined ? undefined : String(flags.sender)
    if (sender === undefined && !context.interactive)
      throw usageError('Missing --sender.', 'List senders: parley messaging senders --status all.')
    const senderId = await resolveId(context, sender, senderTarget, '--sender')
    const target = templateTarget(senderId)
    if (await previewRequest(context, messaging.templates, { senderId, status: 'all' })) return
    const found = await selectItem(context, await listItems(context, target), argument, target)
    context.nameStarted({ senderId, id: found.id }, templateWait)
    await context.out.record(found, itemShape({ endpoint: messaging.templates, view: templateView }))
  },
})

export const senders = listCommand({
  endpoint: messaging.senders,
  examples: ['', '--status all', '-o id'],
  view: senderView,
})

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
    const { out } = context
    // The other fields say in other words whether the window is open.
    const { success: _, session_status, ...about } = answer
    const { can_send_freeform: __, requires_template: ___, message: ____, ...window } = session_status ?? {}
    await out.result(answer, () => out.record({ ...about, session_status: window }, { view: sessionView }), {
      view: sessionView,
    })
  },
})

const sessionView: View<{ readonly conversation_id?: number | null }> = {
  id: (it) => it.conversation_id ?? '',
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
}

const sessionsView: View<ListedSession> = {
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
  view: sessionsView,
})

export const templates = command({
  endpoint: messaging.templates,
  argument: { name: 'sender', describe: 'Id, number or name of the sender' },
  isList: true,
  examples: ['1', '+14155550170 --status all', '1 --json'],
  view: templateView,
  async run(context, { argument, input }) {
    const senderId = await requestById(context, argument, senderTarget, async (id) => {
      await printList(context, messaging.templates, { ...input, senderId: id })
      return id
    })
    await context.notes.note(
      `Send a template: parley messaging send --sender ${senderId} --template <id> --to <number>`,
    )
  },
})
