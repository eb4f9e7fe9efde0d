import { fromMillionths } from '../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { parseJson } from '../../node/json.ts'
import type { PhoneCallRow } from '../../store/calls/phone-calls.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { listMessages } from '../../store/conversations/messages.ts'
import { readAccountRows } from '../../store/database/stored-rows.ts'
import { type Exporting, isoOrNothing, timesOfRow } from './export-context.ts'
import { omitDefaults } from './omit-defaults.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the conversations with their messages, without those of deleted assistants. */
export async function exportConversations({ query, account, names }: Exporting): Promise<Fields[]> {
  const exported: Fields[] = []
  for (const it of await readAccountRows<ConversationRow>(query, 'conversation', account.id)) {
    const assistant = names.nameOf('assistants', it.assistant_id)
    if (assistant === undefined) continue
    const messages = await listMessages(query, it.id)
    exported.push(
      omitDefaults('conversations', {
        uuid: it.uuid,
        assistant_id: assistant,
        type: it.type,
        status: it.status,
        sender_id: names.nameOf('senders', it.sender_id),
        customer_phone: it.customer_phone,
        customer_name: it.customer_name,
        external_identifier: it.external_identifier,
        variables: parseJson(it.variables),
        ai_enabled: it.ai_enabled === 1,
        total_cost: fromMillionths(it.total_cost),
        window_until: isoOrNothing(it.window_until),
        last_customer_message_at: isoOrNothing(it.last_customer_message_at),
        ended_at: isoOrNothing(it.ended_at),
        ends: it.ends === (it.status === 'ended' ? 1 : 0) ? undefined : it.ends,
        messages: messages.map((one) => ({
          role: one.role,
          content: one.content,
          function_calls: jsonOrNothing(one.function_calls),
          created_at: toIsoMicros(one.created_at),
        })),
        ...timesOfRow(it),
      }),
    )
  }
  return exported
}

/** Returns the calls that are over. */
export async function exportCalls({ query, account, names }: Exporting): Promise<Fields[]> {
  return (await readAccountRows<PhoneCallRow>(query, 'phone_call', account.id))
    .filter((it) => it.state === 'over')
    .map((it) =>
      omitDefaults('calls', {
        assistant_id: names.nameOf('assistants', it.assistant_id),
        campaign_id: names.nameOf('campaigns', it.campaign_id),
        type: it.type,
        status: it.status,
        assistant_phone_number: it.assistant_phone_number,
        client_phone_number: it.client_phone_number,
        duration: it.duration,
        transcript: it.transcript,
        variables: parseJson(it.variables),
        evaluation: jsonOrNothing(it.evaluation),
        answered_by: it.answered_by,
        recording_url: it.recording_url,
        carrier_cost: fromMillionths(it.carrier_cost),
        total_cost: fromMillionths(it.total_cost),
        turns: jsonOrNothing(it.turns),
        finished_at: isoOrNothing(it.finished_at),
        ...timesOfRow(it),
      }),
    )
}

const jsonOrNothing = (text: string | null): unknown => (text === null ? undefined : parseJson(text))
