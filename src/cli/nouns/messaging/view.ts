import {
  type MessageTemplate,
  messaging,
  type Sender,
  type SenderAssignment,
} from '../../../contract/resources/messaging.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/** How senders are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const senderView: View<Sender> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'display_name', title: 'Name', priority: 2 },
    { key: 'status', title: 'Status', priority: 3, kind: 'status' },
    { key: 'quality_rating', title: 'Quality', priority: 4, kind: 'status' },
    { key: 'messaging_limit_formatted', title: 'Limit', priority: 5 },
  ],
  empty: 'No senders online. List all senders: parley messaging senders --status all.',
}

/** How templates are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const templateView: View<MessageTemplate> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'language', title: 'Language', priority: 4 },
    { key: 'category', title: 'Category', priority: 3 },
    { key: 'status', title: 'Status', priority: 2, kind: 'status' },
    {
      key: ({ variables }) =>
        Array.isArray(variables) && variables.every((it) => typeof it === 'string') ? variables.join(', ') : variables,
      field: 'variables',
      title: 'Variables',
      priority: 2,
      flexible: true,
    },
    { key: 'body_text', title: 'Text', priority: 5, flexible: true },
  ],
  empty: 'No approved templates. Pass --status all to list all templates.',
}

/**
 * How senders with their assistants are shown to people: titles and columns may change. Scripts read JSON, or what `id`
 * returns with `-o id`.
 */
export const assignmentView: View<SenderAssignment> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'display_name', title: 'Name', priority: 2 },
    { key: 'status', title: 'Status', priority: 3, kind: 'status' },
    { key: 'assistant_id', title: 'Assistant ID', priority: 4, kind: 'number' },
    { key: 'assistant_name', title: 'Assistant', priority: 1 },
  ],
  empty: 'No senders.',
}

/**
 * Target for senders, including offline ones; the platform reports their status on use. Scripts pass numbers and names, which
 * are compared in the order of `by`: fields are added, not removed.
 */
export const senderTarget: Target = {
  singular: 'sender',
  list: messaging.senders,
  within: { status: 'all' },
  listCommand: 'messaging senders --status all',
  by: ['phone_number', 'display_name'],
  label: (it) => `${it.phone_number} ${it.display_name}, ${it.status} (${it.id})`,
}

/** Target for senders with their assistants. */
export const assignmentTarget: Target = {
  singular: 'sender',
  list: messaging.listAssignments,
  listCommand: 'messaging assignments',
  by: ['phone_number', 'display_name'],
  label: (it) => `${it.phone_number} ${it.display_name}, ${it.assistant_name ?? 'no assistant'} (${it.id})`,
}

/** Returns the target for templates of a sender. */
export const templateTarget = (senderId: number): Target => ({
  singular: 'template',
  list: messaging.templates,
  within: { senderId, status: 'all' },
  listCommand: `messaging templates ${senderId} --status all`,
  by: ['name'],
  label: (it) => `${it.name} ${it.language}, ${it.status} (${it.id})`,
})

/** Response to a template or freeform message. */
export interface Sent {
  readonly message_id: number
  readonly channel_message_id?: number
  readonly status?: string
}

/**
 * Returns the id of a sent message: the one under which "messaging list" has it. `message_id` is the message's number in
 * its conversation.
 */
export const sentId = ({ channel_message_id: id, message_id }: Sent): number => id ?? message_id

export const senderFlag = {
  flags: '--sender <id>',
  describe: 'Id, number or name of the sender',
  field: 'sender_id',
} as const
export const toFlag = {
  flags: '--to <number>',
  describe: 'Number of the recipient, E.164',
  field: 'recipient_phone',
} as const
