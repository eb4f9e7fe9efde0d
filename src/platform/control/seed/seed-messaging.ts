import { day, hour, type Micros, minute } from '../../../contract/values/micros.ts'
import { stringifyJson } from '../../../node/json.ts'
import { periodicSyncJobKinds, scheduleSync } from '../../services/messaging/channel-sync-service.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import { listAssistantIds } from '../../store/assistants/assistants.ts'
import { type ConversationRow, insertConversation } from '../../store/conversations/conversations.ts'
import { insertMessage } from '../../store/conversations/messages.ts'
import type { Query } from '../../store/database/connection.ts'
import { insertTemplate } from '../../store/messaging/message-templates.ts'
import { insertSender } from '../../store/messaging/senders.ts'
import { type SampleSender, type SampleTemplate, sampleSenders } from './sample-senders.ts'

/**
 * Customers who have written to the first sender. The window of the first is open for twenty more hours; that of the
 * second is closed.
 */
const recipients = [
  { phone: '+14155550142', name: 'Anna Keller', wroteBefore: 4 * hour },
  { phone: '+14155550143', name: 'Ben Ortiz', wroteBefore: 3 * day },
] as const

interface MessagingOptions {
  readonly account: number
  readonly now: Micros
  readonly secrets: (label: string, length: number) => string
}

interface MessagingSeed extends MessagingOptions {
  /** Id of the assistant that answers for the senders. */
  readonly assistant: number
}

/**
 * Inserts senders with their templates, and two conversations, one of them within its 24-hour window. The account's
 * first assistant answers for them.
 */
export async function seedMessaging(query: Query, options: MessagingOptions): Promise<void> {
  const [assistant] = await listAssistantIds(query, options.account)
  const seed = { ...options, assistant: assistant as number }
  const ids = await addSenders(query, seed)
  for (const recipient of recipients) await addConversation(query, seed, ids[0] as number, recipient)
}

type SenderOwner = Pick<MessagingSeed, 'account' | 'assistant' | 'now'>

/** Inserts senders with their templates, with an assistant that answers for them. Returns their ids. */
export async function addSenders(query: Query, owner: SenderOwner): Promise<readonly number[]> {
  const ids: number[] = []
  for (const [n, sender] of sampleSenders.entries())
    ids.push(await addSender(query, owner, sender, owner.now - (60 - n) * day))
  for (const kind of periodicSyncJobKinds) await scheduleSync(query, kind, owner.account, owner.now)
  return ids
}

async function addSender(
  query: Query,
  { account, assistant }: SenderOwner,
  sample: SampleSender,
  at: Micros,
): Promise<number> {
  const sender = await insertSender(query, {
    account_id: account,
    phone_number: sample.phone_number,
    display_name: sample.display_name,
    status: sample.status,
    quality_rating: sample.quality_rating,
    messaging_limit: sample.limit ?? null,
    limit_known: sample.limit === undefined ? 0 : 1,
    voice_calling_enabled: sample.limit === null ? 1 : 0,
    assistant_id: sample.hasAssistant ? assistant : null,
    created_at: at,
  })
  for (const template of sample.templates)
    await insertTemplate(query, templateRow(account, sender.id, template, at + hour))
  return sender.id
}

const templateRow = (
  account: number,
  sender: number,
  template: SampleTemplate,
  at: Micros,
): Parameters<typeof insertTemplate>[1] => ({
  account_id: account,
  sender_id: sender,
  name: template.name,
  language: template.language ?? 'en',
  category: template.category,
  status: template.status ?? 'approved',
  body_text: template.body_text,
  variables: stringifyJson(template.variables),
  is_synced: template.isNotSynced ? 0 : 1,
  is_voice_call: template.asksForCall ? 1 : 0,
  created_at: at,
})

async function addConversation(
  query: Query,
  { account, assistant, now, secrets }: MessagingSeed,
  sender: number,
  recipient: (typeof recipients)[number],
): Promise<void> {
  const wrote = now - recipient.wroteBefore
  const said = [
    { role: 'user', content: 'Can I come in a little later on Thursday?', at: wrote },
    { role: 'assistant', content: 'Of course. Would half past three suit you?', at: wrote + minute },
  ]
  const { id } = (await insertConversation(query, {
    account_id: account,
    uuid: deterministicUuid(secrets(`conversation ${recipient.phone}`, 40)),
    assistant_id: assistant,
    type: 'messaging',
    status: 'open',
    sender_id: sender,
    customer_phone: recipient.phone,
    customer_name: recipient.name,
    external_identifier: null,
    variables: '{}',
    message_count: said.length,
    total_cost: 0,
    ai_enabled: 1,
    window_until: wrote + day,
    last_customer_message_at: wrote,
    created_at: wrote,
    updated_at: wrote + minute,
  })) as ConversationRow
  for (const { role, content, at } of said)
    await insertMessage(query, {
      account_id: account,
      conversation_id: id,
      role,
      content,
      function_calls: null,
      created_at: at,
    })
}
