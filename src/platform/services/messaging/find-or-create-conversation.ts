import { type ConversationRow, findOrCreateConversation } from '../../store/conversations/conversations.ts'
import type { Query } from '../../store/database/connection.ts'
import type { Deps } from '../runtime/deps.ts'
import { deterministicUuid } from '../runtime/deterministic-uuid.ts'

/** The sender, the assistant and the customer of a conversation on the messaging channel. */
export interface ConversationParties {
  readonly account: number
  readonly sender: number
  readonly assistant: number
  /** Phone number of the customer in E.164. */
  readonly customer: string
  readonly name: string | undefined
  readonly now: number
}

/**
 * Returns the conversation of a sender with a customer, in the caller's transaction. Creates one if there is none
 * (section 4.12).
 */
export function correspond(
  query: Query,
  { secret }: Pick<Deps, 'secret'>,
  it: ConversationParties,
): Promise<ConversationRow> {
  return findOrCreateConversation(query, {
    account_id: it.account,
    uuid: deterministicUuid(secret(`conversation ${it.sender} ${it.customer} ${it.now}`, 40)),
    assistant_id: it.assistant,
    type: 'messaging',
    status: 'open',
    sender_id: it.sender,
    customer_phone: it.customer,
    customer_name: it.name ?? null,
    external_identifier: null,
    variables: '{}',
    message_count: 0,
    total_cost: 0,
    ai_enabled: 1,
    window_until: null,
    last_customer_message_at: null,
    created_at: it.now,
    updated_at: it.now,
  })
}
