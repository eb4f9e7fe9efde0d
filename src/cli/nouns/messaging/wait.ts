import type { ListedMessage } from '../../../contract/resources/message-records.ts'
import { type MessageTemplate, messaging } from '../../../contract/resources/messaging.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { isSameId } from '../../program/input/ids.ts'
import { absent, type Waitable } from '../../program/waiting/waitable.ts'
import { readWaiting, showWaiting } from '../contacts/waiting.ts'
import { localReceipt } from './local-receipt.ts'

/**
 * Conditions of messages, by their statuses. A new message may be listed a moment later. Scripts have the names of the
 * conditions in `--wait`, and the first one is the default: more are added behind it, and none is renamed.
 */
export const messageConditions = {
  delivered: { reached: ['delivered', 'read'], pending: [absent, 'waiting', 'sending', 'queued', 'sent'] },
  sent: { reached: ['sent', 'delivered', 'read'], pending: [absent, 'waiting', 'sending', 'queued'] },
  read: { reached: ['read'], pending: [absent, 'waiting', 'sending', 'queued', 'sent', 'delivered'] },
} as const satisfies Waitable['conditions']

/** How a message is waited for: it is found among the newest of its sender to its recipient. */
export const messageWait: Waitable = {
  singular: 'message',
  conditions: messageConditions,
  endpoint: messaging.list,
  async read(from, { sender_id, recipient_phone, id: known, waiting }) {
    // A message that waits for the contact hours has no id yet.
    const held = waiting === undefined ? undefined : await readWaiting(from, waiting)
    if (held && held.state !== 'started') return { ...held, status: held.state }
    const id = known ?? held?.started_id
    const { call } = from
    const to = { sender_id: sender_id as number, recipient_phone: String(recipient_phone) }
    const { data } = await call(messaging.list, { ...to, per_page: maxPerPage })
    return data.find((it) => isSameId(it.id, id))
  },
  stateOf: (record) => (record as ListedMessage).status,
  async detailOf({ context }, record) {
    const { error, status, message_sid } = record as ListedMessage
    if (typeof error === 'string') return error
    const receipt = await localReceipt(context, status, message_sid)
    return receipt && `which it stays on the local platform until: ${receipt}`
  },
  shownBy: ({ sender_id, recipient_phone, id, waiting }) =>
    waiting === undefined
      ? {
          words: 'messaging get',
          argument: String(id),
          flags: { sender: String(sender_id), to: String(recipient_phone) },
        }
      : showWaiting(waiting),
}

/**
 * How a template is waited for. The channel decides about it, and a platform reads that every few hours. Scripts have the
 * name of the condition in `--wait`: it is not renamed.
 */
export const templateWait: Waitable = {
  singular: 'template',
  conditions: { approved: { reached: ['approved'], pending: ['pending'] } },
  read: async ({ call }, { senderId, id }) =>
    (await call(messaging.templates, { senderId: senderId as number, status: 'all' })).data.find((template) =>
      isSameId(template.id, id),
    ),
  stateOf: (record) => (record as MessageTemplate).status,
  shownBy: ({ senderId, id }) => ({
    words: 'messaging get-template',
    argument: String(id),
    flags: { sender: String(senderId) },
  }),
}
