import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import { uuidPattern } from '../../program/input/ids.ts'
import type { LatestTarget } from '../../program/input/resolve-target.ts'
import { idView, type View } from '../../program/output/format.ts'

/** Returns the customer of a conversation: name and number, or the identifier in the caller's system. */
const customerText = ({ customer, external_identifier }: Conversation): string | null =>
  customer
    ? [customer.name, customer.phone].filter((it) => typeof it === 'string' && it !== '').join(', ')
    : (external_identifier ?? null)

/** How conversations are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const view: View<Conversation> = {
  id: (it) => it.id,
  hasLongIds: true,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'type', title: 'Type', priority: 1 },
    { key: customerText, field: 'customer', title: 'Customer', priority: 2, flexible: true },
    { key: 'assistant_name', title: 'Assistant', priority: 4, flexible: true },
    { key: 'message_count', title: 'Messages', priority: 4, kind: 'number' },
    {
      key: (it) => (it.ai_enabled ? 'enabled' : 'disabled'),
      field: 'ai_enabled',
      title: 'AI',
      priority: 5,
      kind: 'status',
    },
    { key: 'status', title: 'Status', priority: 3, kind: 'status' },
    { key: 'total_cost', title: 'Cost', priority: 2, kind: 'money' },
    { key: 'updated_at', title: 'Updated', priority: 2, kind: 'time' },
    { key: 'created_at', title: 'Created', priority: 6, kind: 'time' },
  ],
  empty: 'No conversations. Start one: parley conversations start --assistant <id>.',
}

export const argument = { name: 'id', describe: 'UUID of the conversation, or its unique beginning' } as const

export const latest: LatestTarget<Conversation> = {
  singular: 'conversation',
  list: conversations.list,
  id: (it) => it.id,
  whole: uuidPattern,
  label: (it) => `${it.type} with ${it.assistant_name}, ${it.message_count} messages, ${it.updated_at} (${it.id})`,
}

/** Returns a view for responses without the id of the conversation; `-o id` prints it. */
export const conversationView = (uuid: string): View<object> => idView(() => uuid)
