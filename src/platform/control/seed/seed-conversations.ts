import { randomUUID } from 'node:crypto'
import { day, hour, type Micros, minute } from '../../../contract/values/micros.ts'
import { stringifyJson } from '../../../node/json.ts'
import { callCost, carrierCost } from '../../services/billing/call-prices.ts'
import { charge, type Movement } from '../../services/billing/ledger.ts'
import { messagePrice } from '../../services/conversations/chat-turns.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import { listAssistantIds } from '../../store/assistants/assistants.ts'
import { insertCall } from '../../store/calls/phone-calls.ts'
import {
  type ConversationRow,
  insertConversation,
  updateConversation,
} from '../../store/conversations/conversations.ts'
import { insertMessage } from '../../store/conversations/messages.ts'
import type { Query } from '../../store/database/connection.ts'
import { listNumbers } from '../../store/numbers/numbers.ts'

type Line = readonly [role: 'user' | 'assistant', content: string]

/** A conversation of the sample data. */
interface SampleChat {
  readonly type: 'widget' | 'test' | 'api'
  /** Index of the sample assistant, counted from 0. */
  readonly assistant: number
  /** Microseconds since it started. */
  readonly ago: Micros
  readonly identifier?: string
  readonly variables?: Readonly<Record<string, string>>
  /** Set when a person has taken over the conversation. */
  readonly isAiDisabled?: true
  readonly lines: readonly Line[]
}

/** A call of the sample data. */
interface SampleCall {
  readonly type: 'inbound' | 'outbound' | 'web'
  readonly assistant: number
  readonly ago: Micros
  readonly client: string | null
  readonly status: string
  /** Seconds. */
  readonly duration: number
  readonly answeredBy: 'human' | 'machine' | null
  readonly transcript: string | null
}

const greeting: Line = ['assistant', 'Northwind Dental, how can I help you?']
const recallGreeting: Line = ['assistant', 'Hello, this is Northwind Dental. Your check-up is due.']

/** The conversations of the sample data. */
const sampleChats: readonly SampleChat[] = [
  {
    type: 'test',
    assistant: 1,
    ago: 5 * day,
    lines: [
      recallGreeting,
      ['user', 'Can I book a visit?'],
      ['assistant', 'I can help with appointments. Which day would suit you?'],
    ],
  },
  {
    type: 'widget',
    assistant: 0,
    ago: 2 * day,
    lines: [
      greeting,
      ['user', 'Hello, when are you open?'],
      ['assistant', 'We are open Monday to Friday, 8:00 to 17:00.'],
      ['user', 'Thank you!'],
      ['assistant', 'You are welcome. Is there anything else?'],
    ],
  },
  {
    type: 'api',
    assistant: 0,
    ago: 26 * hour,
    identifier: 'patient-1042',
    variables: { first_name: 'Clara' },
    lines: [
      ['user', 'Can I move my visit to Friday?'],
      ['assistant', 'I can help with appointments. Which day would suit you?'],
    ],
  },
  {
    type: 'widget',
    assistant: 0,
    ago: 40 * minute,
    isAiDisabled: true,
    lines: [greeting, ['user', 'My tooth hurts, can somebody call me?']],
  },
]

/** The calls of the sample data. */
const sampleCalls: readonly SampleCall[] = [
  {
    type: 'outbound',
    assistant: 1,
    ago: 4 * day,
    client: '+14155550161',
    status: 'no-answer',
    duration: 0,
    answeredBy: null,
    transcript: null,
  },
  {
    type: 'outbound',
    assistant: 1,
    ago: 4 * day - 5 * minute,
    client: '+14155550142',
    status: 'ended_by_customer',
    duration: 74,
    answeredBy: 'human',
    transcript: `AI: ${recallGreeting[1]}\nCustomer: Thank you for calling. I will think about it.\nAI: Goodbye.`,
  },
  {
    type: 'inbound',
    assistant: 0,
    ago: 3 * hour,
    client: '+14155550143',
    status: 'ended_by_assistant',
    duration: 41,
    answeredBy: 'human',
    transcript: `AI: ${greeting[1]}\nCustomer: When are you open today?\nAI: Until five. Goodbye.`,
  },
]

const chatCost = ({ type, lines }: SampleChat): number =>
  type === 'test' ? 0 : messagePrice * lines.filter(([role]) => role === 'user').length

/** Total cost of the sample conversations and calls in micro-USD. */
export const sampleCost: number = [
  ...sampleChats.map(chatCost),
  ...sampleCalls.map((it) => callCost(it.duration)),
].reduce((sum, it) => sum + it, 0)

interface SeedContext {
  readonly account: AccountRow
  /** Id of the number that the calls used. */
  readonly number: number | null
  readonly now: Micros
  readonly secrets: (label: string, length: number) => string
}

/** What a sample conversation or call costs, and when. */
interface SampleCharge extends Movement {
  readonly cost: number
}

/** Inserts calls and conversations of all types except messaging, and charges them, in the caller's transaction. */
export async function seedConversations(query: Query, seeding: SeedContext): Promise<void> {
  const assistants = await listAssistantIds(query, seeding.account.id)
  const idOf = (n: number): number => assistants[n] as number
  const charges: SampleCharge[] = []
  for (const chat of sampleChats) charges.push(await addChat(query, seeding, idOf(chat.assistant), chat))
  const number =
    (await listNumbers(query, seeding.account.id)).find((it) => it.number.id === seeding.number)?.number.phone_number ??
    null
  for (const call of sampleCalls) charges.push(await addCall(query, seeding, idOf(call.assistant), number, call))
  // In the order of their times, so that each balance of the ledger follows from the one before.
  for (const { cost, ...movement } of charges.sort((a, b) => a.now - b.now))
    if (cost > 0) await charge(query, seeding.account, cost, movement)
}

async function addChat(
  query: Query,
  { account, now, secrets }: SeedContext,
  assistant: number,
  chat: SampleChat,
): Promise<SampleCharge> {
  const at = now - chat.ago
  const { id } = (await insertConversation(query, {
    account_id: account.id,
    uuid: randomUUID(),
    assistant_id: assistant,
    type: chat.type,
    status: 'open',
    sender_id: null,
    customer_phone: null,
    customer_name: null,
    external_identifier: chat.identifier ?? null,
    variables: stringifyJson(chat.variables ?? {}),
    message_count: chat.lines.length,
    total_cost: chatCost(chat),
    ai_enabled: chat.isAiDisabled ? 0 : 1,
    window_until: null,
    last_customer_message_at: null,
    created_at: at,
    updated_at: at + (chat.lines.length - 1) * minute,
  })) as ConversationRow
  // The UUID is derived from the id, as for conversations that are created later.
  await updateConversation(query, id, { uuid: deterministicUuid(secrets(`conversation ${id}`, 40)) })
  for (const [n, [role, content]] of chat.lines.entries())
    await insertMessage(query, {
      account_id: account.id,
      conversation_id: id,
      role,
      content,
      function_calls: null,
      created_at: at + n * minute,
    })
  return { cost: chatCost(chat), reason: 'Sample conversation', reference: `chat-${id}-seed`, now: at }
}

async function addCall(
  query: Query,
  { account, now }: SeedContext,
  assistant: number,
  number: string | null,
  call: SampleCall,
): Promise<SampleCharge> {
  const at = now - call.ago
  const { id } = await insertCall(query, {
    account_id: account.id,
    assistant_id: assistant,
    campaign_id: null,
    campaign_name: null,
    type: call.type,
    state: 'over',
    status: call.status,
    assistant_phone_number: number,
    client_phone_number: call.client,
    duration: call.duration,
    transcript: call.transcript,
    variables: '{}',
    evaluation: null,
    answered_by: call.answeredBy,
    recording_url: null,
    carrier_cost: carrierCost(call.duration),
    total_cost: callCost(call.duration),
    idempotency_key: null,
    sid: null,
    created_at: at,
    updated_at: at + call.duration * 1_000_000,
  })
  return { cost: callCost(call.duration), reason: 'Sample call', reference: `call-${id}-seed`, now: at }
}
