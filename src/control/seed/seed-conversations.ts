import { randomUUID } from 'node:crypto'
import { type Micros, minute } from '../../contract/values/micros.ts'
import { stringifyJson } from '../../node/json.ts'
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
import { type SampleCall, type SampleChat, sampleCalls, sampleChats } from './sample-conversations.ts'

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
  for (const it of sampleChats) charges.push(await addChat(query, seeding, idOf(it.assistant), it))
  const number =
    (await listNumbers(query, seeding.account.id)).find((it) => it.number.id === seeding.number)?.number.phone_number ??
    null
  for (const it of sampleCalls) charges.push(await addCall(query, seeding, idOf(it.assistant), number, it))
  // In the order of their times, so that each balance of the ledger follows from the one before.
  for (const { cost, ...movement } of charges.sort((a, b) => a.now - b.now))
    if (cost > 0) await charge(query, seeding.account, cost, movement)
}

async function addChat(
  query: Query,
  { account, now, secrets }: SeedContext,
  assistant: number,
  it: SampleChat,
): Promise<SampleCharge> {
  const at = now - it.ago
  const { id } = (await insertConversation(query, {
    account_id: account.id,
    uuid: randomUUID(),
    assistant_id: assistant,
    type: it.type,
    status: 'open',
    sender_id: null,
    customer_phone: null,
    customer_name: null,
    external_identifier: it.identifier ?? null,
    variables: stringifyJson(it.variables ?? {}),
    message_count: it.lines.length,
    total_cost: chatCost(it),
    ai_enabled: it.isAiDisabled ? 0 : 1,
    window_until: null,
    last_customer_message_at: null,
    created_at: at,
    updated_at: at + (it.lines.length - 1) * minute,
  })) as ConversationRow
  // The UUID is derived from the id, as for conversations that are created later.
  await updateConversation(query, id, { uuid: deterministicUuid(secrets(`conversation ${id}`, 40)) })
  for (const [n, [role, content]] of it.lines.entries())
    await insertMessage(query, {
      account_id: account.id,
      conversation_id: id,
      role,
      content,
      function_calls: null,
      created_at: at + n * minute,
    })
  return { cost: chatCost(it), reason: 'Sample conversation', reference: `chat-${id}-seed`, now: at }
}

async function addCall(
  query: Query,
  { account, now }: SeedContext,
  assistant: number,
  number: string | null,
  it: SampleCall,
): Promise<SampleCharge> {
  const at = now - it.ago
  const { id } = await insertCall(query, {
    account_id: account.id,
    assistant_id: assistant,
    campaign_id: null,
    campaign_name: null,
    type: it.type,
    state: 'over',
    status: it.status,
    assistant_phone_number: number,
    client_phone_number: it.client,
    duration: it.duration,
    transcript: it.transcript,
    variables: '{}',
    evaluation: null,
    answered_by: it.answeredBy,
    recording_url: null,
    carrier_cost: carrierCost(it.duration),
    total_cost: callCost(it.duration),
    idempotency_key: null,
    sid: null,
    created_at: at,
    updated_at: at + it.duration * 1_000_000,
  })
  return { cost: callCost(it.duration), reason: 'Sample call', reference: `call-${id}-seed`, now: at }
}
