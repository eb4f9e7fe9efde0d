import { type ConversationRow, findOrCreateConversation } from '../../store/conversations/conversations.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { Deps } from '../runtime/deps.ts'
import { deterministicUuid } from '../runtime/deterministic-uuid.ts'

/** The sender, the assistant and the customer of a conversation on the messaging channel. */
interface ConversationParties {
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
  query: AccountQuery,
  { secret, isSeeded, accountIds }: Pick<Deps, 'secret' | 'isSeeded' | 'accountIds'>,
  parties: ConversationParties,
): Promise<ConversationRow> {
  return findOrCreateConversation(query, {
    account_id: parties.account,
    uuid: isSeeded()
      ? deterministicUuid(secret(`conversation ${parties.sender} ${parties.customer} ${parties.now}`, 40))
      : accountIds.newUuid(parties.account),
    assistant_id: parties.assistant,
    type: 'messaging',
    status: 'open',
    sender_id: parties.sender,
    customer_phone: parties.customer,
    customer_name: parties.name ?? null,
    external_identifier: null,
    variables: '{}',
    message_count: 0,
    total_cost: 0,
    ai_enabled: 1,
    window_until: null,
    last_customer_message_at: null,
    created_at: parties.now,
    updated_at: parties.now,
  })
}
