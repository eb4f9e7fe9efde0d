import { Failure } from '../../contract/errors/failures.ts'
import { type Micros, minute } from '../../contract/values/micros.ts'
import { parsePhoneNumber } from '../../contract/values/phone-number.ts'
import { listRecipientConversations } from '../../store/conversations/recipient-conversations.ts'
import type { Query } from '../../store/database/connection.ts'
import { listTemplates, type TemplateRow } from '../../store/messaging/message-templates.ts'
import { findSender, listSenders, type SenderRow } from '../../store/messaging/senders.ts'
import type { Deps } from '../runtime/deps.ts'

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

/** Returns the state of the window with a recipient. */
export async function getSession(
  query: Query,
  sender: SenderRow,
  phone: string,
  now: Micros,
): Promise<MessagingSession> {
  const conversations = await listRecipientConversations(query, sender.account_id, sender.id, phone)
  const latest = (values: readonly (number | null)[]): number | null =>
    values.reduce<number | null>((a, b) => (b === null ? a : Math.max(a ?? b, b)), null)
  const until = latest(conversations.map((it) => it.window_until))
  const isOpen = until !== null && now < until
  const [current] = conversations
  return {
    isOpen,
    until,
    minutes: isOpen ? Math.ceil((until - now) / minute) : null,
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

/** Lists senders and their templates, and reads the window with a recipient (sections 4.10, 4.11 and 8). */
export function messagingService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    senders: (account: number, status: string): Promise<SenderRow[]> =>
      listSenders(connection.read, account, statusFilter(status)),

    async templates(account: number, senderId: number, status: string): Promise<TemplateRow[]> {
      const sender = await findSender(connection.read, account, senderId)
      if (!sender) throw new Failure('messaging.templates_sender_not_found')
      return listTemplates(connection.read, sender, statusFilter(status))
    },

    /**
     * Returns the window with a recipient. @throws Failure 404 for an unknown sender, 422 for an invalid phone number
     */
    async session(account: number, senderId: number, recipient: string): Promise<MessagingSession> {
      const sender = await findSender(connection.read, account, senderId)
      if (!sender) throw new Failure('messaging.sender_not_found')
      const phone = await parsePhoneNumber(recipient)
      if (!phone) throw new Failure('messaging.invalid_phone')
      return getSession(connection.read, sender, phone, await clock.now())
    },
  }
}
