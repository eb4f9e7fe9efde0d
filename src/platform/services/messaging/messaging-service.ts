import { Failure, selectionText } from '../../../contract/errors/failures.ts'
import type { SessionStatus } from '../../../contract/resources/message-records.ts'
import { day, type Micros, minute } from '../../../contract/values/micros.ts'
import { parsePhoneNumber } from '../../../contract/values/phone-number.ts'
import { requireValue } from '../../../node/require-value.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { findOwnedIds } from '../../store/assistants/assistants.ts'
import {
  listRecipientConversations,
  listWindows,
  type MessagingWindow,
  type WindowFilters,
} from '../../store/conversations/conversations.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { type ChannelMessageRow, listSentMessages } from '../../store/messaging/channel-messages.ts'
import { listTemplates, type TemplateRow } from '../../store/messaging/message-templates.ts'
import {
  type AssignedSender,
  findSender,
  listAssignedSenders,
  listSenders,
  type SenderRow,
  updateSender,
} from '../../store/messaging/senders.ts'
import { type ConversationQuery, toDayRange } from '../conversations/conversation-service.ts'
import type { Deps } from '../runtime/deps.ts'

/** Filters of the list of sent messages. */
interface MessageQuery extends Pick<ConversationQuery, 'date_from' | 'date_to'> {
  readonly sender_id?: number | undefined
  readonly template_id?: number | undefined
  readonly recipient_phone?: string | undefined
  readonly status?: string | undefined
}

/** The 24-hour window with a recipient. Times in microseconds. */
export interface MessagingSession {
  readonly isOpen: boolean
  /** When the window closes or closed; null if there never was one. */
  readonly until: Micros | null
  /** Remaining minutes of an open window, rounded up. */
  readonly minutes: number | null
  readonly conversation: {
    readonly id: number
    readonly customerName: string | null
    readonly lastCustomerMessageAt: Micros | null
  } | null
}

/** A session in a list, with its sender and recipient. */
interface ListedSession extends MessagingSession {
  readonly senderId: number
  readonly recipient: string
  readonly conversation: NonNullable<MessagingSession['conversation']>
}

const toState = (until: Micros | null, now: Micros): Pick<MessagingSession, 'isOpen' | 'until' | 'minutes'> => {
  const isOpen = until !== null && now < until
  return { isOpen, until, minutes: isOpen ? Math.ceil((until - now) / minute) : null }
}

const toListedSession = (window: MessagingWindow, now: Micros): ListedSession => ({
  ...toState(window.window_until, now),
  senderId: window.sender_id,
  recipient: window.customer_phone,
  conversation: {
    id: window.id,
    customerName: window.customer_name,
    lastCustomerMessageAt: window.last_customer_message_at,
  },
})

/** Returns the state of the window with a recipient. */
export async function getSession(
  query: AccountQuery,
  sender: SenderRow,
  phone: string,
  now: Micros,
): Promise<MessagingSession> {
  const conversations = await listRecipientConversations(accountQuery(query, sender.account_id), sender.id, phone)
  const latest = (values: readonly (number | null)[]): number | null =>
    values.reduce<number | null>((a, b) => (b === null ? a : Math.max(a ?? b, b)), null)
  const [current] = conversations
  return {
    ...toState(latest(conversations.map((it) => it.window_until)), now),
    conversation: current
      ? {
          id: current.id,
          customerName: current.customer_name,
          lastCustomerMessageAt: latest(conversations.map((it) => it.last_customer_message_at)),
        }
      : null,
  }
}

const statusFilter = (given: string): string | undefined => (given === 'all' ? undefined : given)

/** Lists senders, their templates and windows, and reads the window with a recipient (sections 4.10, 4.11 and 8). */
export function messagingService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    senders: (account: number, status: string): Promise<SenderRow[]> =>
      listSenders(accountQuery(connection.read, account), statusFilter(status)),

    /** Returns every sender with the assistant that answers for it. */
    assignments: (account: number): Promise<AssignedSender[]> =>
      listAssignedSenders(accountQuery(connection.read, account)),

    /**
     * Sets the assistant that answers for a sender; null for none, undefined for no change. Conversations keep the assistant they have.
     * @throws Failure 404 for an unknown sender, 422 for an assistant that the account does not have
     */
    assign: (account: number, senderId: number, assistantId: number | null | undefined): Promise<AssignedSender> =>
      connection.write({ account }, async (query) => {
        if (!(await findSender(query, senderId))) throw new Failure('messaging.sender_not_found')
        if (assistantId && (await findOwnedIds(query, 'assistant', [assistantId])).size === 0)
          throw new Failure('invalid', {
            text: 'Validation failed',
            errors: { assistant_id: [selectionText('assistant_id')] },
          })
        if (assistantId !== undefined) await updateSender(query, senderId, { assistant_id: assistantId })
        const [assigned] = await listAssignedSenders(query, senderId)
        return requireValue(assigned)
      }),

    async templates(account: number, senderId: number, status: string): Promise<TemplateRow[]> {
      const read = accountQuery(connection.read, account)
      const sender = await findSender(read, senderId)
      if (!sender) throw new Failure('messaging.templates_sender_not_found')
      return listTemplates(read, sender, statusFilter(status))
    },

    /**
     * Returns the window with a recipient. @throws Failure 404 for an unknown sender, 422 for an invalid phone number
     */
    async session(account: number, senderId: number, recipient: string): Promise<MessagingSession> {
      const read = accountQuery(connection.read, account)
      const sender = await findSender(read, senderId)
      if (!sender) throw new Failure('messaging.sender_not_found')
      const phone = await parsePhoneNumber(recipient)
      if (!phone) throw new Failure('messaging.invalid_phone')
      return getSession(read, sender, phone, await clock.now())
    },

    /**
     * Returns one page of sent messages, newest first, and the total. `page` counts from 1. Days are those of UTC.
     * @throws Failure 404 for an unknown sender
     */
    async messages(
      account: number,
      { sender_id: sender, template_id: template, recipient_phone: recipient, status, ...days }: MessageQuery,
      { page, perPage }: { readonly page: number; readonly perPage: number },
    ): Promise<{ items: ChannelMessageRow[]; total: number }> {
      if (sender !== undefined && !(await findSender(accountQuery(connection.read, account), sender)))
        throw new Failure('messaging.sender_not_found')
      const { fromDay, toDay } = toDayRange(days)
      const span = { from: fromDay && fromDay * day, before: toDay === undefined ? undefined : (toDay + 1) * day }
      const filters = { sender, template, recipient, status, ...span }
      return listSentMessages(accountQuery(connection.read, account), filters, {
        offset: (page - 1) * perPage,
        limit: perPage,
      })
    },

    /**
     * Returns one page of windows, the most recently opened first, and the total. `page` counts from 1.
     * @throws Failure 404 for an unknown sender
     */
    async sessions(
      account: number,
      { sender_id, status }: { readonly sender_id?: number | undefined; readonly status: WindowFilters['status'] },
      { page, perPage }: { readonly page: number; readonly perPage: number },
    ): Promise<{ items: ListedSession[]; total: number }> {
      if (sender_id !== undefined && !(await findSender(accountQuery(connection.read, account), sender_id)))
        throw new Failure('messaging.sender_not_found')
      const now = await clock.now()
      const filters = { sender: sender_id, status, now }
      const { items, total } = await listWindows(accountQuery(connection.read, account), filters, {
        offset: (page - 1) * perPage,
        limit: perPage,
      })
      return { items: items.map((it) => toListedSession(it, now)), total }
    },
  }
}

const sessionMessage = (session: MessagingSession): string => {
  if (session.isOpen) return 'The 24-hour messaging window is open: messages without a template can be sent.'
  if (session.until !== null)
    return 'The 24-hour messaging window has closed. Send a template message to open it again.'
  return 'There is no open messaging window with this recipient. Send a template message first.'
}

/** Returns the state of a window as the API reports it, in responses and in refusals. */
export const toSessionStatus = (session: MessagingSession): SessionStatus => ({
  is_open: session.isOpen,
  can_send_freeform: session.isOpen,
  requires_template: !session.isOpen,
  message: sessionMessage(session),
  ...(session.until !== null &&
    (session.isOpen
      ? { minutes_remaining: session.minutes, expires_at: toIsoMicros(session.until) }
      : { expired_at: toIsoMicros(session.until) })),
})
