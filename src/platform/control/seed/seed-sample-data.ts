import { assistants } from '../../../contract/resources/assistants.ts'
import { day, hour, type Micros, minute, second } from '../../../contract/values/micros.ts'
import type { PaymentProvider } from '../../../engine/ports/providers.ts'
import type { InventoryNumber } from '../../../engine/ports/telephony.ts'
import { stringifyJson } from '../../../node/json.ts'
import { addMonths } from '../../jobs/clock.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { maxDeliveryAttempts, retryDelay } from '../../jobs/webhook-retries.ts'
import type { NumberInventory } from '../../providers/telephony/number-inventory.ts'
import { orderNumber } from '../../providers/telephony/number-orders.ts'
import { fieldsFromDraft, toColumns } from '../../services/assistants/assistant-fields.ts'
import { topUp } from '../../services/billing/ledger.ts'
import { issueKey } from '../../services/runtime/api-keys.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import { insertAccount } from '../../store/accounts/accounts.ts'
import { updateKeyLastUsed } from '../../store/accounts/api-keys.ts'
import { insertAssistant, listAssistantIds, replaceAssistantLinks } from '../../store/assistants/assistants.ts'
import type { ToolTable } from '../../store/assistants/tables.ts'
import { insertTool } from '../../store/assistants/tools.ts'
import { insertSubscription } from '../../store/billing/subscriptions.ts'
import type { Query } from '../../store/database/connection.ts'
import { insertAttempt, insertDelivery } from '../../store/deliveries/deliveries.ts'
import { insertNumber } from '../../store/numbers/numbers.ts'
import { sampleNumbers } from './sample-numbers.ts'
import { moveVisitId, seedAutomations } from './seed-automations.ts'
import { seedCampaigns } from './seed-campaigns.ts'
import { sampleCost, seedConversations } from './seed-conversations.ts'
import { type SeededFolders, seedFoldersAndKnowledge } from './seed-folders-and-knowledge.ts'
import { seedMessaging } from './seed-messaging.ts'
import { seedSipTrunk } from './seed-sip-trunks.ts'

/** A tool of the sample data. */
interface SampleTool
  extends Pick<
    ToolTable,
    'name' | 'description' | 'type' | 'endpoint' | 'method' | 'body_format' | 'timeout' | 'automation_id'
  > {
  readonly headers: readonly { name: string; value: string }[]
  readonly static_fields: readonly { key: string; value: string }[]
  readonly schema: readonly { name: string; type: string; description: string; required: boolean }[]
}

/** The tools of the sample data. */
const sampleTools: readonly SampleTool[] = [
  {
    name: 'lookup_patient',
    description: 'Find a patient by phone number before booking anything for them.',
    type: 'http',
    endpoint: 'https://practice.northwind.example/patients?phone={{customer_phone}}',
    method: 'GET',
    body_format: 'json',
    timeout: 10,
    automation_id: null,
    headers: [{ name: 'Accept', value: 'application/json' }],
    static_fields: [],
    schema: [],
  },
  {
    name: 'book_appointment',
    description: 'Book an appointment once the patient has agreed to a day and a time.',
    type: 'http',
    endpoint: 'https://practice.northwind.example/appointments',
    method: 'POST',
    body_format: 'json',
    timeout: 15,
    automation_id: null,
    headers: [{ name: 'X-Practice', value: 'northwind' }],
    static_fields: [{ key: 'source', value: 'assistant' }],
    schema: [
      { name: 'day', type: 'string', description: 'Day of the appointment, YYYY-MM-DD', required: true },
      { name: 'time', type: 'string', description: 'Time of the appointment, HH:MM', required: true },
      { name: 'new_patient', type: 'boolean', description: 'Whether this is their first visit', required: false },
    ],
  },
  {
    name: 'quote_treatment',
    description: 'Tell the price of a treatment.',
    type: 'http',
    endpoint: 'https://practice.northwind.example/prices/{treatment}',
    method: 'GET',
    body_format: 'json',
    timeout: 5,
    automation_id: null,
    headers: [],
    static_fields: [],
    schema: [{ name: 'treatment', type: 'string', description: 'Treatment asked about, one word', required: true }],
  },
  {
    name: 'reschedule_visit',
    description: 'Move a visit that is booked already to another day.',
    type: 'automation',
    endpoint: `http://127.0.0.1/automate/api/v1/webhooks/${moveVisitId}/sync`,
    method: 'POST',
    body_format: 'json',
    timeout: 30,
    automation_id: moveVisitId,
    headers: [],
    static_fields: [],
    schema: [{ name: 'new_day', type: 'string', description: 'Day to move the visit to, YYYY-MM-DD', required: true }],
  },
]

/** What the sample assistants are created from. */
interface AssistantSeeds {
  readonly account: number
  readonly now: Micros
  readonly secrets: (label: string, length: number) => string
  /** Id of the number that the front desk answers. */
  readonly number: number | null
  readonly folders: SeededFolders
}

const frontDeskAssistant = {
  name: 'Front desk',
  voice_id: 1,
  language_id: 1,
  type: 'inbound',
  mode: 'pipeline',
  timezone: 'America/Los_Angeles',
  initial_message: 'Northwind Dental, how can I help you?',
  system_prompt:
    'You answer the phone of a dental practice. Find the patient, then book, move or cancel visits. Be brief and kind; never give medical advice.',
  llm_model_id: 2,
  secondary_language_ids: [2],
  tools: [
    {
      type: 'call_transfer',
      phone_number: '+14155550199',
      description: 'When the caller asks for a person or is in pain',
    },
    { type: 'end_call' },
  ],
  post_call_schema: [{ name: 'reason', type: 'string', description: 'Why they called, in a few words' }],
  knowledgebase_mode: 'function_call',
  voice_mail_message: 'Thank you for calling Northwind Dental. Please call again during opening hours.',
  webhook_url: 'https://practice.northwind.example/hooks/calls',
} as const

const recallAssistant = {
  name: 'Recall',
  voice_id: 43,
  language_id: 1,
  type: 'outbound',
  mode: 'multimodal',
  timezone: 'America/Los_Angeles',
  initial_message: 'Hello, this is Northwind Dental. Your check-up is due.',
  system_prompt:
    'You call patients whose check-up is due and offer them a visit. If they do not want one, thank them and end the call.',
  multimodal_model_id: 21,
  chat_llm_fallback_id: 1,
  max_duration: 300,
  end_call_on_voicemail: false,
  voice_mail_message: 'This is Northwind Dental. Your check-up is due; please call us back.',
} as const

/**
 * Inserts two assistants, in the caller's transaction: one answers a number and uses a knowledge base, one calls
 * patients.
 */
async function seedAssistants(query: Query, { account, now, secrets, number, folders }: AssistantSeeds): Promise<void> {
  const [desk, campaigns] = folders.folders
  const seeds = [
    {
      ...frontDeskAssistant,
      folder_id: desk,
      label_ids: folders.labels.slice(0, 1),
      tool_ids: [1, 2, 3],
      knowledgebase_id: folders.knowledgeBase,
    },
    { ...recallAssistant, folder_id: campaigns, tool_ids: [4] },
  ]
  for (const [n, seed] of seeds.entries()) {
    const fields = fieldsFromDraft(
      assistants.create.body.parse({
        ...seed,
        ...(seed.type === 'inbound' && number !== null && { phone_number_id: number }),
      }),
    )
    const at = now - (12 - 4 * n) * day
    const row = await insertAssistant(query, {
      ...toColumns(fields),
      account_id: account,
      uuid: deterministicUuid(secrets(`assistant ${n + 1}`, 40)),
      status: 'active',
      created_at: at,
      updated_at: at + hour,
      deleted_at: null,
    })
    await replaceAssistantLinks(query, row, { labels: fields.label_ids ?? [], tools: fields.tool_ids ?? [] })
  }
}

interface SeedContext {
  readonly account: number
  readonly now: Micros
  readonly secrets: (label: string, length: number) => string
}

/** Time of each attempt after the first: all attempts that a delivery has, with the delays of the platform. */
const attemptTimes: readonly Micros[] = Array.from({ length: maxDeliveryAttempts }).reduce<readonly Micros[]>(
  (times) => [
    ...times,
    (times.at(-1) ?? 0) + (times.length === 0 ? 0 : retryDelay(maxDeliveryAttempts - times.length, undefined)),
  ],
  [],
)
const error = 'The receiver returned status 503.'

/** Inserts the failed delivery of a call to the webhook of the front desk, whose event is no longer stored. */
async function seedDeliveries(query: Query, { account, now, secrets }: SeedContext): Promise<void> {
  const [assistant = 0] = await listAssistantIds(query, account)
  const at = now - 3 * hour + 41 * second
  const row = await insertDelivery(query, {
    account_id: account,
    outbox_id: 0,
    message_id: `msg_${secrets('delivery of a call', 32)}`,
    event: 'post_call',
    lane: `${account} ${assistant} call 3 post_call`,
    assistant_id: assistant,
    sender_id: null,
    url: 'https://practice.northwind.example/hooks/calls',
    payload: stringifyJson({
      id: 3,
      customer_phone: '+14155550143',
      duration: 41,
      status: 'ended_by_assistant',
      extracted_variables: { reason: 'Opening hours' },
      input_variables: {},
      transcript: [],
      formatted_transcript:
        'AI: Northwind Dental, how can I help you?\nCustomer: When are you open today?\nAI: Until five. Goodbye.',
      recording_url: null,
    }),
    status: 'failed',
    attempts: attemptTimes.length,
    tries_left: 0,
    next_attempt_at: null,
    last_status: 503,
    last_error: error,
    created_at: at,
    finished_at: at + (attemptTimes.at(-1) ?? 0),
  })
  for (const [n, after] of attemptTimes.entries())
    await insertAttempt(query, {
      account_id: account,
      delivery_id: row?.id ?? 0,
      number: n + 1,
      at: at + after,
      status: 503,
      error: null,
      answer: '{"error":"Down for maintenance"}',
      ms: 180 + 20 * n,
    })
}

/** What the sample data is created from. */
export interface SeedOptions {
  readonly now: Micros
  /** Secret of the account's first key. */
  readonly secret: string
  /** Returns the secrets of the other keys. */
  readonly secrets: (label: string, length: number) => string
  readonly payments: PaymentProvider
  readonly vault: Vault
  /** The numbers of the local telephony provider. The account has bought two of them. */
  readonly inventory: NumberInventory
}

/**
 * Fills an empty platform with sample data, in the caller's transaction: one account with a balance, a payment method
 * and resources of every kind. Returns its first key.
 */
export async function seedSampleData(
  query: Query,
  { now, secret, secrets, payments, vault, inventory }: SeedOptions,
): Promise<string> {
  const account = await insertAccount(query, {
    name: 'Northwind Dental',
    email: 'operations@northwind.example',
    kind: 'tenant',
    balance: 0,
    minute_rate: 100_000,
    payment_method: 'pm_card_visa',
    created_at: now - 90 * day,
  })
  const { token } = await issueKey(query, { account: account.id, name: 'local', secret, now: now - 90 * day })
  const ci = await issueKey(query, {
    account: account.id,
    name: 'ci',
    secret: secrets('key ci', 40),
    now: now - 30 * day,
  })
  await updateKeyLastUsed(query, ci.row.id, now - 3 * hour)
  await issueKey(query, {
    account: account.id,
    name: 'dashboard',
    secret: secrets('key dashboard', 40),
    now: now - 2 * day,
  })
  await topUp(query, account, 25_000_000 + sampleCost, {
    reason: 'Opening balance',
    reference: 'seed',
    now: now - 90 * day,
  })
  for (const [n, tool] of sampleTools.entries())
    await insertTool(query, toolRow(account.id, tool, now - (sampleTools.length - n) * day))
  const folders = await seedFoldersAndKnowledge(query, account.id, now)
  const trunk = { account: account.id, now, secrets, vault }
  const buy = async ({ days, ...wanted }: (typeof sampleNumbers)[number]): Promise<number | null> => {
    const [number] = inventory.search(wanted, new Set())
    return number ? seedNumber(query, account.id, number, payments, now - days * day) : null
  }
  const [frontDeskNumber, londonNumber] = sampleNumbers
  // Examples in the documentation use these ids: a SIP trunk has id 1.
  await seedSipTrunk(query, 'first', trunk)
  await buy(londonNumber)
  await insertNumber(query, {
    account_id: account.id,
    phone_number: '+14155550199',
    country_code: 'US',
    region: 'CA',
    type: 'caller_id',
    sms_capable: 0,
    nickname: 'Office line',
    created_at: now - 15 * day,
  })
  const frontDesk = await buy(frontDeskNumber)
  await seedSipTrunk(query, 'second', trunk)
  await seedAssistants(query, { account: account.id, now, secrets, number: frontDesk, folders })
  await seedMessaging(query, { account: account.id, now, secrets })
  await seedConversations(query, { account, now, secrets, number: frontDesk })
  await seedAutomations(query, { account: account.id, now, secrets })
  await seedDeliveries(query, { account: account.id, now, secrets })
  await seedCampaigns(query, { account: account.id, now, number: frontDesk })
  return token
}

const toolRow = (account: number, tool: SampleTool, at: Micros): Parameters<typeof insertTool>[1] => ({
  ...tool,
  account_id: account,
  headers: stringifyJson(tool.headers),
  static_fields: stringifyJson(tool.static_fields),
  schema: stringifyJson(tool.schema),
  created_at: at,
  updated_at: at + 5 * minute,
})

async function seedNumber(
  query: Query,
  account: number,
  number: InventoryNumber,
  payments: PaymentProvider,
  at: Micros,
): Promise<number> {
  await orderNumber(query, `seed-${number.phoneNumber}`, number.phoneNumber, null)
  const { id } = await insertNumber(query, {
    account_id: account,
    phone_number: number.phoneNumber,
    country_code: number.country,
    region: number.region,
    type: 'normal',
    sms_capable: number.smsCapable ? 1 : 0,
    nickname: number.country === 'US' ? 'Front desk' : null,
    created_at: at,
  })
  const anchor = new Date(at / 1000).getUTCDate()
  const price = payments.price(number.country)
  const subscription = await insertSubscription(query, {
    account_id: account,
    number_id: id,
    status: 'active',
    price: price.amount,
    price_id: price.priceId,
    anchor,
    period_start: at,
    period_end: addMonths(at, 1, anchor),
  })
  await scheduleJob(query, {
    account,
    kind: 'subscription',
    subject: String(subscription.id),
    at: subscription.period_end,
  })
  return id
}
