import { randomUUID } from 'node:crypto'
import { invalidField } from '../../contract/errors/failures.ts'
import { toMillionths } from '../../contract/values/millionths.ts'
import { stringifyJson } from '../../node/json.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import { insertCall } from '../../store/calls/phone-calls.ts'
import type { PhoneCallTable } from '../../store/calls/tables.ts'
import { insertConversation, updateConversation } from '../../store/conversations/conversations.ts'
import { insertMessage } from '../../store/conversations/messages.ts'
import type { ConversationTable } from '../../store/conversations/tables.ts'
import { type Loading, loadEach, timeOf } from './loading.ts'
import { objectsIn } from './sample-names.ts'

type Text = string | null

const jsonOf = (value: unknown): Text => (value === null || value === undefined ? null : stringifyJson(value))

/** Loads the conversations of an account with their messages. */
export async function loadConversations(loading: Loading): Promise<void> {
  const { query, account, secrets } = loading
  await loadEach(loading, 'conversations', async ({ record, createdAt, updatedAt }) => {
    const messages = objectsIn(record.messages)
    const isEnded = record.status === 'ended'
    const row = await insertConversation(query, {
      account_id: account.id,
      uuid: typeof record.uuid === 'string' ? record.uuid.toLowerCase() : randomUUID(),
      assistant_id: record.assistant_id as number,
      type: record.type as ConversationTable['type'],
      status: String(record.status),
      sender_id: record.sender_id as number | null,
      customer_phone: record.customer_phone as Text,
      customer_name: record.customer_name as Text,
      external_identifier: record.external_identifier as Text,
      variables: stringifyJson(record.variables),
      message_count: messages.length,
      total_cost: toMillionths(record.total_cost as number),
      ai_enabled: record.ai_enabled ? 1 : 0,
      window_until: timeOf(loading, record.window_until, null),
      last_customer_message_at: timeOf(loading, record.last_customer_message_at, null),
      created_at: createdAt,
      updated_at: updatedAt,
      ended_at: timeOf(loading, record.ended_at, isEnded ? updatedAt : null),
      ends: (record.ends as number | undefined) ?? (isEnded ? 1 : 0),
    })
    if (!row) throw invalidField('external_identifier', 'An equivalent conversation is open.')
    if (record.uuid === undefined)
      await updateConversation(query, row.id, { uuid: deterministicUuid(secrets(`conversation ${row.id}`, 40)) })
    for (const it of messages)
      await insertMessage(query, {
        account_id: account.id,
        conversation_id: row.id,
        role: String(it.role),
        content: String(it.content),
        function_calls: jsonOf(it.function_calls),
        created_at: timeOf(loading, it.created_at, createdAt),
      })
    return undefined
  })
}

/** Loads the calls of an account. All of them are over. */
export async function loadCalls(loading: Loading): Promise<void> {
  const { query, account, data } = loading
  await loadEach(loading, 'calls', async ({ entry, record, createdAt, updatedAt }) => {
    const campaign = data.lists.campaigns.find(({ item }) => (item.ref ?? item.name) === entry.item.campaign_id)
    await insertCall(query, {
      account_id: account.id,
      assistant_id: record.assistant_id as number | null,
      campaign_id: record.campaign_id as number | null,
      campaign_name: campaign ? String(campaign.item.name) : null,
      type: record.type as PhoneCallTable['type'],
      state: 'over',
      status: String(record.status),
      assistant_phone_number: record.assistant_phone_number as Text,
      client_phone_number: record.client_phone_number as Text,
      duration: record.duration as number,
      transcript: record.transcript as Text,
      variables: stringifyJson(record.variables),
      evaluation: jsonOf(record.evaluation),
      answered_by: record.answered_by as PhoneCallTable['answered_by'],
      recording_url: record.recording_url as Text,
      carrier_cost: toMillionths(record.carrier_cost as number),
      total_cost: toMillionths(record.total_cost as number),
      idempotency_key: null,
      sid: null,
      created_at: createdAt,
      updated_at: updatedAt,
      turns: jsonOf(record.turns),
      finished_at: timeOf(loading, record.finished_at, null),
    })
    return undefined
  })
}
