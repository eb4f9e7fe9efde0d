// The sample account as a document of sample data. The order of records gives their ids, which examples in the documentation
// use, and the same seed must give the same account: add records at the end of a list.

import { webhookPath } from '../../../contract/automations/webhook-path.ts'
import { type SampleData, sampleDataVersion } from '../../../contract/control/sample-data.ts'
import { day, hour, type Micros, minute, second } from '../../../contract/values/micros.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import type { InventoryNumber } from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'
import { maxDeliveryAttempts, retryDelay } from '../../jobs/webhook-retries.ts'
import { idLength } from '../../services/automations/publishing/automation-ids.ts'
import { callCost, carrierCost } from '../../services/billing/call-prices.ts'
import { charge, topUp } from '../../services/billing/ledger.ts'
import { messagePrice } from '../../services/conversations/chat-turns.ts'
import { hashSecret } from '../../services/runtime/api-keys.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import { type AccountRow, listAccounts } from '../../store/accounts/accounts.ts'
import { listAssistantIds } from '../../store/assistants/assistants.ts'
import { finishStep, startStep } from '../../store/automations/run-steps.ts'
import { insertRun, type RunRow, updateRun } from '../../store/automations/runs.ts'
import type { PhoneCallRow } from '../../store/calls/phone-calls.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery, PlatformQuery } from '../../store/database/connection.ts'
import { readAccountRows } from '../../store/database/stored-rows.ts'
import { insertAttempt, insertDelivery } from '../../store/deliveries/deliveries.ts'
import { SampleNames } from './check-sample-data.ts'
import { type LoadDeps, type LoadOptions, loadSenders, prepareSampleData } from './load-sample-data.ts'
import { findSampleNumbers } from './sample-rows.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the age of a time, as a document of sample data states it. */
const ago = (age: Micros): string => (age < 0 ? `in ${-age / second}s` : `${age / second}s ago`)

/** Returns the times of a record that was changed some time after it was created. */
const changed = (age: Micros, after: Micros): Fields => ({ created_at: ago(age), updated_at: ago(age - after) })

const reminder = {
  name: 'appointment_reminder',
  category: 'utility',
  body_text: 'Hello {{1}}, this is a reminder of your appointment on {{2}}. Reply to move it.',
  variables: ['first_name', 'appointment_day'],
}
const opening = {
  name: 'opening_hours',
  category: 'utility',
  body_text: 'We are open Monday to Friday, 8:00 to 17:00.',
  variables: [],
}
const call = {
  name: 'may_we_call',
  category: 'utility',
  body_text: 'Hello {{1}}, may our assistant call you about your visit?',
  variables: ['first_name'],
  is_voice_call: true,
}

/** Phone number of the first sender. */
export const firstSampleSender = '+14155550170'

/** The assistant that answers for the senders. */
const frontDesk = 'Front desk'

const senders = [
  {
    phone_number: firstSampleSender,
    display_name: 'Northwind Dental',
    messaging_limit: 1000,
    assistant_id: frontDesk,
    templates: [
      reminder,
      opening,
      {
        name: 'login_code',
        category: 'authentication',
        body_text: '{{1}} is your code. Do not share it.',
        variables: ['code'],
      },
      {
        name: 'convite_retorno',
        language: 'pt_BR',
        category: 'marketing',
        body_text: 'Olá {{1}}, já faz seis meses da sua última visita.',
        variables: ['first_name'],
      },
      call,
      {
        name: 'new_price_list',
        category: 'utility',
        body_text: 'Hello {{1}}, our prices have changed.',
        variables: ['first_name'],
        is_synced: false,
      },
      {
        name: 'summer_whitening',
        category: 'marketing',
        body_text: 'Whitening at half the price until {{1}}.',
        variables: ['last_day'],
        status: 'pending',
      },
      { name: 'free_toothbrush', category: 'marketing', body_text: 'FREE!!! Answer now!!!', status: 'rejected' },
    ],
  },
  {
    phone_number: '+14155550171',
    display_name: 'Northwind Billing',
    quality_rating: 'RED',
    messaging_limit: null,
    voice_calling_enabled: true,
    assistant_id: frontDesk,
    templates: [
      opening,
      call,
      {
        name: 'invoice_ready',
        category: 'utility',
        body_text: 'Your invoice over {{1}} is ready.',
        variables: ['amount'],
      },
    ],
  },
  {
    phone_number: '+442079460172',
    display_name: 'Northwind London',
    quality_rating: 'YELLOW',
    messaging_limit: 2,
    assistant_id: frontDesk,
    templates: [reminder, opening],
  },
  {
    phone_number: '+14155550173',
    display_name: 'Northwind Orthodontics',
    status: 'offline',
    messaging_limit: 250,
    assistant_id: frontDesk,
    templates: [opening],
  },
  {
    phone_number: '+14155550174',
    display_name: 'Northwind Surveys',
    messaging_limit: 250,
    templates: [opening],
  },
  {
    phone_number: '+14155550175',
    display_name: 'Northwind Events',
    assistant_id: frontDesk,
    templates: [opening],
  },
]

/** The sample senders. The first one is the oldest. */
const sampleSenders: readonly Fields[] = senders.map((sender, n) => ({
  ...sender,
  created_at: ago((60 - n) * day),
  templates: sender.templates.map((template) => ({ ...template, created_at: ago((60 - n) * day - hour) })),
}))

/** Errors that sending from a sample sender, or a template of the first one, causes, for the documentation. */
export const sampleRefusals: readonly (readonly [what: 'sender' | 'template', name: string, error: string])[] = [
  ['template', 'may_we_call', '`VOICE_CALL_LIMIT_NOT_MET` from a sender with a limit below 2000'],
  ['template', 'new_price_list', '`TEMPLATE_NOT_SYNCED`'],
  ['template', 'summer_whitening', '`TEMPLATE_NOT_APPROVED`'],
  ['template', 'free_toothbrush', '`TEMPLATE_NOT_APPROVED`'],
  ['sender', '+442079460172', '`PROVIDER_ERROR_63018` at the third recipient in 24 hours'],
  ['sender', '+14155550173', '`SENDER_OFFLINE`'],
  ['sender', '+14155550174', '`NO_ASSISTANT_CONFIGURED`'],
  ['sender', '+14155550175', '`MESSAGING_LIMIT_UNAVAILABLE`'],
]

/** Id of the automation that the sample tool `reschedule_visit` runs. */
const moveVisitId = 'Vq3tR8mKx2LpZc5WnYd7a'

const tools = [
  {
    name: 'lookup_patient',
    description: 'Find a patient by phone number before booking anything for them.',
    endpoint: 'https://practice.northwind.example/patients?phone={{customer_phone}}',
    method: 'GET',
    timeout: 10,
    headers: [{ name: 'Accept', value: 'application/json' }],
  },
  {
    name: 'book_appointment',
    description: 'Book an appointment once the patient has agreed to a day and a time.',
    endpoint: 'https://practice.northwind.example/appointments',
    method: 'POST',
    timeout: 15,
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
    endpoint: 'https://practice.northwind.example/prices/{treatment}',
    method: 'GET',
    timeout: 5,
    schema: [{ name: 'treatment', type: 'string', description: 'Treatment asked about, one word', required: true }],
  },
  {
    name: 'reschedule_visit',
    description: 'Move a visit that is booked already to another day.',
    type: 'automation',
    endpoint: `http://127.0.0.1${webhookPath(moveVisitId)}/sync`,
    method: 'POST',
    timeout: 30,
    automation_id: 'Move a visit',
    schema: [{ name: 'new_day', type: 'string', description: 'Day to move the visit to, YYYY-MM-DD', required: true }],
  },
]

const frontDeskAssistant = {
  name: frontDesk,
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
  folder_id: 'Front desk',
  label_ids: ['production'],
  tool_ids: ['lookup_patient', 'book_appointment', 'quote_treatment'],
  knowledgebase_id: 'Practice handbook',
}

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
  folder_id: 'Recall campaigns',
  tool_ids: ['reschedule_visit'],
}

const documents = [
  {
    name: 'Treatments and prices',
    description: 'What each treatment costs and how long it takes',
    url: 'https://northwind.example/treatments',
    text: 'A check-up takes 30 minutes and costs 60 USD.\nA cleaning takes 45 minutes and costs 90 USD.\nA filling takes 60 minutes and costs 150 USD.',
  },
  {
    name: 'Opening hours',
    url: 'https://northwind.example/hours',
    text: 'Monday to Friday from 8:00 to 17:00, Saturday from 9:00 to 12:00. Closed on Sunday and on public holidays.',
  },
  {
    name: 'Insurers',
    description: 'Plans the practice accepts',
    status: 'failed',
    url: 'https://unreadable.example/insurers',
    error: 'The website could not be read.',
  },
]

const webhookPiece = { pieceName: '@engine/piece-webhook', pieceVersion: '~0.1.20' }

const questionTrigger = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  displayName: 'Question from the website',
  settings: { ...webhookPiece, triggerName: 'catch_webhook', input: { authType: 'none' } },
  valid: true,
}

const codeStep = (displayName: string, code: string, input: Fields): Fields => ({
  name: 'step_1',
  type: 'CODE',
  displayName,
  settings: { sourceCode: { code: `export const code = async ${code}`, packageJson: '{}' }, input },
  valid: true,
})

const answerStep = (name: string, body: Fields): Fields => ({
  name,
  type: 'PIECE',
  displayName: 'Answer',
  settings: {
    ...webhookPiece,
    actionName: 'return_response',
    input: { responseType: 'json', fields: { status: 200, headers: {}, body }, respond: 'stop' },
  },
  valid: true,
})

const openingHours = (code: string): Fields => ({
  trigger: questionTrigger,
  steps: [
    codeStep('Find the opening hours', `(inputs) => (${code})`, { day: "{{trigger['body']['day']}}" }),
    answerStep('step_2', { hours: "{{step_1['hours']}}" }),
  ],
})

const moveVisit = {
  trigger: { ...questionTrigger, displayName: 'Visit to move' },
  steps: [answerStep('step_1', { moved: true, new_day: "{{trigger['body']['new_day']}}" })],
}

const weeklyCount = {
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    displayName: 'Every Monday at eight',
    settings: {
      pieceName: '@engine/piece-schedule',
      pieceVersion: '~0.1.5',
      triggerName: 'every_week',
      input: { day_of_the_week: 1, hour_of_the_day: 8, timezone: 'America/Los_Angeles' },
    },
    valid: true,
  },
  steps: [codeStep('Count the week', '() => new Date().toISOString().slice(0, 10)', {})],
}

const greeting = frontDeskAssistant.initial_message
const recallGreeting = recallAssistant.initial_message

interface Line {
  readonly role: 'user' | 'assistant'
  readonly content: string
}
const says = (content: string): Line => ({ role: 'assistant', content })
const asks = (content: string): Line => ({ role: 'user', content })

/** Returns a conversation that started some time ago, with a message each minute. */
const conversation = (fields: Fields, age: Micros, lines: readonly Line[]): Fields => ({
  assistant_id: frontDesk,
  ...fields,
  total_cost: fields.type === 'messaging' || fields.type === 'test' ? 0 : chatCost(lines),
  messages: lines.map((line, n) => ({ ...line, created_at: ago(age - n * minute) })),
  ...changed(age, (lines.length - 1) * minute),
})

const chatCost = (lines: readonly Line[]): number =>
  fromMillionths(messagePrice * lines.filter(({ role }) => role === 'user').length)

/** Returns a conversation with a customer who has written to the first sender. */
const thread = (customer: { customer_phone: string; customer_name: string }, age: Micros, secrets: Secrets): Fields =>
  conversation(
    {
      ...customer,
      type: 'messaging',
      sender_id: firstSampleSender,
      uuid: deterministicUuid(secrets(`conversation ${customer.customer_phone}`, 40)),
      window_until: ago(age - day),
      last_customer_message_at: ago(age),
    },
    age,
    [asks('Can I come in a little later on Thursday?'), says('Of course. Would half past three suit you?')],
  )

/** The conversations except messaging. */
const chats: readonly Fields[] = [
  conversation({ type: 'test', assistant_id: recallAssistant.name }, 5 * day, [
    says(recallGreeting),
    asks('Can I book a visit?'),
    says('I can help with appointments. Which day would suit you?'),
  ]),
  conversation({ type: 'widget' }, 2 * day, [
    says(greeting),
    asks('Hello, when are you open?'),
    says('We are open Monday to Friday, 8:00 to 17:00.'),
    asks('Thank you!'),
    says('You are welcome. Is there anything else?'),
  ]),
  conversation({ type: 'api', external_identifier: 'patient-1042', variables: { first_name: 'Clara' } }, 26 * hour, [
    asks('Can I move my visit to Friday?'),
    says('I can help with appointments. Which day would suit you?'),
  ]),
  conversation({ type: 'widget', ai_enabled: false }, 40 * minute, [
    says(greeting),
    asks('My tooth hurts, can somebody call me?'),
  ]),
]

/** Returns a call that started some time ago. */
const phoneCall = (duration: number, age: Micros, fields: Fields): Fields => ({
  ...fields,
  duration,
  carrier_cost: fromMillionths(carrierCost(duration)),
  total_cost: fromMillionths(callCost(duration)),
  ...changed(age, duration * second),
})

const calls: readonly Fields[] = [
  phoneCall(0, 4 * day, {
    assistant_id: recallAssistant.name,
    type: 'outbound',
    status: 'no-answer',
    client_phone_number: '+14155550161',
  }),
  phoneCall(74, 4 * day - 5 * minute, {
    assistant_id: recallAssistant.name,
    type: 'outbound',
    status: 'ended_by_customer',
    client_phone_number: '+14155550142',
    answered_by: 'human',
    transcript: `AI: ${recallGreeting}\nCustomer: Thank you for calling. I will think about it.\nAI: Goodbye.`,
  }),
  phoneCall(41, 3 * hour, {
    assistant_id: frontDesk,
    type: 'inbound',
    status: 'ended_by_assistant',
    client_phone_number: '+14155550143',
    answered_by: 'human',
    transcript: `AI: ${greeting}\nCustomer: When are you open today?\nAI: Until five. Goodbye.`,
  }),
]

/** Returns a lead. Its attempts were an hour after it was added. */
const lead = (phone_number: string, name: string, { attempts = 0, ...state }: Fields = {}) => ({
  phone_number,
  variables: { first_name: name.split(' ')[0], appointment_day: 'Monday' },
  attempts,
  ...state,
})

type Lead = ReturnType<typeof lead> & { readonly secondary_contacts?: readonly Fields[] }

/** Returns a campaign that was created some time ago. Its leads were added one per hour, oldest first. */
const campaign = (age: Micros, fields: Fields, leads: readonly Lead[]): Fields => ({
  ...fields,
  ...changed(age, minute),
  leads: leads.map((lead, n) => {
    const added = age - (n + 1) * hour
    if (lead.attempts === 0) return { ...lead, created_at: ago(added) }
    const tried = ago(added - hour)
    return {
      ...lead,
      ...changed(added, hour),
      last_attempt_at: tried,
      ...(lead.secondary_contacts && {
        next_attempt_at: tried,
        secondary_contacts: lead.secondary_contacts.map((contact) => ({ ...contact, ...changed(added, hour) })),
      }),
    }
  }),
})

/** The campaigns: one calls back missed callers and is partly done, the others are ready to start. */
const campaigns = (frontDeskNumber: unknown): readonly Fields[] => [
  campaign(
    6 * day,
    {
      name: 'Call back',
      assistant_id: frontDesk,
      timezone: 'America/Los_Angeles',
      schedule_windows: [{ start: '09:00', end: '17:30' }],
      allowed_days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      retry_on_voicemail: true,
      status: 'paused',
    },
    [
      lead('+14155550150', 'Clara Moss', { status: 'completed', attempts: 1 }),
      lead('+14155550151', 'David Frey', { status: 'reached-max-retries', attempts: 3 }),
      {
        ...lead('+14155550152', 'Elena Rossi', { status: 'rescheduled', attempts: 1 }),
        secondary_contacts: [lead('+14155550159', 'Marco Rossi')],
      },
      lead('+14155550153', 'Femi Ade', { status: 'blacklisted' }),
      lead('+14155550154', 'Grace Lind'),
      lead('+14155550155', 'Hugo Park'),
    ],
  ),
  campaign(
    2 * day,
    {
      name: 'Reminders',
      channel: 'messaging',
      messaging_sender_id: firstSampleSender,
      messaging_template_id: reminder.name,
      text_variable_mapping: { '1': 'first_name', '2': 'appointment_day' },
      messages_per_minute: 10,
    },
    [lead('+14155550142', 'Anna Keller'), lead('+14155550143', 'Ben Ortiz')],
  ),
  campaign(
    day,
    {
      name: 'Check-up',
      channel: 'sms',
      sms_from_phone_number_id: frontDeskNumber,
      sms_body: 'Hello {{first_name}}, your check-up is due.',
    },
    [lead('+14155550156', 'Ida Novak')],
  ),
]

const sipTrunks = [
  {
    sip_trunk_type: 'extension',
    phone_number: '2001',
    nickname: 'Reception',
    sip_username: 'northwind-2001',
    sip_address: 'pbx.northwind.example',
    sip_calling_format: '+e164',
    inbound_authorization_type: 'auth',
    outbound_proxy: false,
    country_code: 'US-CA',
    created_at: ago(12 * day),
  },
  {
    sip_trunk_type: 'number',
    phone_number: '+14155550177',
    nickname: 'After hours',
    sip_username: 'northwind-nights',
    sip_address: 'sip.carrier.example',
    sip_calling_format: 'e164',
    inbound_authorization_type: 'ip',
    allowed_inbound_ips: ['203.0.113.10', '198.51.100.0/24'],
    outbound_proxy: true,
    country_code: 'US',
    created_at: ago(9 * day),
  },
]

/** Returns the secrets of a platform. */
type Secrets = (label: string, length: number) => string

/** Returns a number that the account bought some days ago. */
const boughtNumber = ({ phoneNumber, country, region, smsCapable }: InventoryNumber, days: number): Fields => ({
  phone_number: phoneNumber,
  country_code: country,
  region,
  sms_capable: smsCapable,
  created_at: ago(days * day),
})

/**
 * Returns the sample account: a dental practice with resources of every kind, as a document that `server load` reads.
 * Its ids, keys and bought numbers follow from the seed of the platform.
 */
function sampleAccount({ secrets, inventory }: LoadOptions): SampleData {
  const [front = {}, london = {}] = findSampleNumbers(inventory).map(({ number, days }) => boughtNumber(number, days))
  const key = (name: string): Fields => ({ name, hash: hashSecret(secrets(`key ${name}`, 40)) })
  const uuid = (label: string): string => deterministicUuid(secrets(label, 40))
  const account = {
    name: 'Northwind Dental',
    email: 'operations@northwind.example',
    payment_method: 'pm_card_visa',
    created_at: ago(90 * day),
    keys: [
      { name: 'local', created_at: ago(90 * day) },
      { ...key('ci'), created_at: ago(30 * day), last_used_at: ago(3 * hour) },
      { ...key('dashboard'), created_at: ago(2 * day) },
    ],
    folders: [
      { name: 'Front desk', color: 'blue', created_at: ago(40 * day) },
      { name: 'Recall campaigns', color: 'amber', created_at: ago(40 * day) },
    ],
    labels: [
      { name: 'production', color: 'green', created_at: ago(40 * day) },
      { name: 'spanish', color: 'purple', created_at: ago(40 * day) },
      { name: 'trial', created_at: ago(40 * day) },
    ],
    tools: tools.map((tool, n) => ({ ...tool, ...changed((tools.length - n) * day, 5 * minute) })),
    knowledge: [
      {
        name: 'Practice handbook',
        description: 'What patients ask about: treatments, prices, hours',
        ...changed(25 * day, 10 * minute),
        documents: documents.map(({ text, ...document }, n) => ({
          ...document,
          relative_links_limit: 10,
          ...(text !== undefined && { pages: [{ address: document.url, title: document.name, text }] }),
          ...changed(25 * day - n * minute, minute),
        })),
      },
    ],
    numbers: [
      london,
      {
        phone_number: '+14155550199',
        type: 'caller_id',
        country_code: 'US',
        region: 'CA',
        nickname: 'Office line',
        created_at: ago(15 * day),
      },
      { ...front, nickname: 'Front desk' },
    ],
    sip_trunks: sipTrunks,
    assistants: [
      {
        ...frontDeskAssistant,
        phone_number_id: front.phone_number,
        uuid: uuid('assistant 1'),
        ...changed(12 * day, hour),
      },
      { ...recallAssistant, uuid: uuid('assistant 2'), ...changed(8 * day, hour) },
    ],
    senders: sampleSenders,
    automations: [
      {
        name: 'Opening hours',
        id: secrets('automation hours', idLength),
        versions: [{ flow: openingHours("{ hours: '8:00 to 17:00' }"), created_at: ago(6 * day) }],
        flow: openingHours(
          "{ hours: ['saturday', 'sunday'].includes(inputs.day.toLowerCase()) ? 'closed' : '8:00 to 17:00' }",
        ),
        ...changed(6 * day, day),
      },
      { name: 'Move a visit', id: moveVisitId, flow: moveVisit, created_at: ago(5 * day) },
      {
        name: 'Weekly count',
        id: secrets('automation reminder', idLength),
        flow: weeklyCount,
        enabled: false,
        created_at: ago(3 * day),
      },
    ],
    campaigns: campaigns(front.phone_number),
    conversations: [
      thread({ customer_phone: '+14155550142', customer_name: 'Anna Keller' }, 4 * hour, secrets),
      thread({ customer_phone: '+14155550143', customer_name: 'Ben Ortiz' }, 3 * day, secrets),
      ...chats,
    ],
    calls: calls.map((it) => ({ ...it, assistant_phone_number: front.phone_number })),
  }
  return { version: sampleDataVersion, accounts: [account] }
}

/** Names of the numbers in the order of their ids, which examples in the documentation use: a SIP trunk has id 1. */
function sampleNumberOrder({ inventory }: LoadOptions): readonly string[] {
  const [front, london] = findSampleNumbers(inventory).map(({ number }) => number.phoneNumber)
  return ['2001', london, '+14155550199', front, '+14155550177'].map(String)
}

/** Inserts the sample senders for another account, with an assistant that answers for them. */
export async function addSampleSenders(
  query: AccountQuery,
  { account, assistant, now }: { readonly account: AccountRow; readonly assistant: number; readonly now: Micros },
): Promise<void> {
  const names = new SampleNames()
  names.declare('assistants', frontDesk)
  names.add('assistants', frontDesk, assistant)
  const list = sampleSenders.map((item, n) => ({ place: `senders.${n}`, item }))
  await loadSenders({ query, account, now, data: { names, lists: { senders: list } } })
}

/**
 * Checks the document of the sample account and returns the function that inserts the account with its past, in the
 * caller's transaction. Used by "npm run generate", which records the rows.
 */
export async function prepareSampleAccount(
  deps: LoadDeps,
  options: LoadOptions,
): Promise<(query: PlatformQuery) => Promise<string>> {
  // The headers of the tools are stored as text: they have no secrets, and are read faster so. The label is that of
  // sealed-tool-fields.ts.
  const vault: Vault = {
    ...options.vault,
    seal: (text, context) => (context.startsWith('tool fields') ? text : options.vault.seal(text, context)),
  }
  const load = await prepareSampleData({ ...deps, vault }, sampleAccount(options), {
    numberOrder: sampleNumberOrder(options),
  })
  return async (query) => {
    const key = await load(query, { ...options, vault })
    const [account] = await listAccounts(query)
    if (account) await insertSamplePast(accountQuery(query, account.id), { ...options, account })
    return key
  }
}

/** What happened to the sample account before, which a document cannot state. */
interface PastOptions {
  readonly account: AccountRow
  readonly now: Micros
  readonly secrets: Secrets
}

/** Inserts the past of the loaded sample account: movements of its balance, runs of an automation, and a delivery. */
async function insertSamplePast(query: AccountQuery, options: PastOptions): Promise<void> {
  await insertMovements(query, options)
  await insertSampleRun(query, options, { label: 'run 2', age: 5 * hour, day: 7, failure: typeError })
  await insertSampleRun(query, options, { label: 'run 1', age: 2 * hour, day: 'sunday' })
  await insertFailedDelivery(query, options)
}

async function insertMovements(query: AccountQuery, { account, now }: PastOptions): Promise<void> {
  const used = [
    ...(await readAccountRows<ConversationRow>(query, 'conversation')).map((row) => ({
      row,
      reason: 'Sample conversation',
      reference: `chat-${row.id}-seed`,
    })),
    ...(await readAccountRows<PhoneCallRow>(query, 'phone_call')).map((row) => ({
      row,
      reason: 'Sample call',
      reference: `call-${row.id}-seed`,
    })),
  ]
  const total = used.reduce((sum, { row }) => sum + row.total_cost, 0)
  const opened = { reason: 'Opening balance', reference: 'seed', now: now - 90 * day }
  await topUp(query, account, 25_000_000 + total, opened)
  // In the order of their times, so that each balance follows from the one before.
  for (const { row, ...movement } of used.sort((a, b) => a.row.created_at - b.row.created_at))
    if (row.total_cost > 0) await charge(query, account, row.total_cost, { ...movement, now: row.created_at })
}

const typeError = 'TypeError: inputs.day.toLowerCase is not a function (line 1)'

interface SampleRun {
  readonly label: string
  readonly age: Micros
  readonly day: string | number
  /** The error of the first step; none when it succeeded. */
  readonly failure?: string
}

/** Inserts a run of the live version of the first automation. */
async function insertSampleRun(
  query: AccountQuery,
  { account, now, secrets }: PastOptions,
  { label, age, day: asked, failure }: SampleRun,
): Promise<void> {
  const automation = secrets('automation hours', idLength)
  const at = now - age
  const run = (await insertRun(query, {
    id: secrets(`automation ${label}`, idLength),
    account_id: account.id,
    automation_id: automation,
    version_id: secrets(`version ${automation} 1`, idLength),
    testing: 0,
    status: 'RUNNING',
    payload: stringifyJson({ method: 'POST', headers: {}, queryParams: {}, body: { day: asked } }),
    claims: 1,
    held: 1,
    mark: 0,
    stalls: 0,
    round: 1,
    active: 0,
    created_at: at,
  })) as RunRow
  const failed = failure !== undefined
  const answer = stringifyJson({ status: 200, headers: {}, body: { hours: 'closed' } })
  for (const [n, output] of (failed ? [null] : ['{"hours":"closed"}', answer]).entries()) {
    const path = `step_${n + 1}`
    const startedAt = at + n * 20_000
    await startStep(query, run, { account: account.id, path, name: path, position: n + 1, now: startedAt })
    await finishStep(query, run.number, {
      path,
      input: n === 0 ? stringifyJson({ day: asked }) : null,
      output,
      shown: null,
      status: failed ? 'FAILED' : 'SUCCEEDED',
      failures: failed ? 1 : 0,
      error: failure ?? null,
      classification: failed ? 'wiring_error' : null,
      unresolved: null,
      log: null,
      now: startedAt + 15_000,
    })
  }
  await updateRun(query, run.number, {
    status: failed ? 'FAILED' : 'SUCCEEDED',
    held: 0,
    answer: failed ? null : answer,
    error: failed ? `Find the opening hours: ${failure}` : null,
    finished_at: at + second / 10,
  })
}

/** Time of each attempt after the first: all attempts that a delivery has, with the delays of the platform. */
const attemptTimes: readonly Micros[] = Array.from({ length: maxDeliveryAttempts }).reduce<readonly Micros[]>(
  (times) => [
    ...times,
    (times.at(-1) ?? 0) + (times.length === 0 ? 0 : retryDelay(maxDeliveryAttempts - times.length, undefined)),
  ],
  [],
)

/** Inserts the failed delivery of the last call to the webhook of the front desk, whose event is no longer stored. */
async function insertFailedDelivery(query: AccountQuery, { account, now, secrets }: PastOptions): Promise<void> {
  const [assistant = 0] = await listAssistantIds(accountQuery(query, account.id))
  const at = now - 3 * hour + 41 * second
  const row = await insertDelivery(query, {
    account_id: account.id,
    outbox_id: 0,
    message_id: `msg_${secrets('delivery of a call', 32)}`,
    event: 'post_call',
    lane: `${account.id} ${assistant} call 3 post_call`,
    assistant_id: assistant,
    sender_id: null,
    url: frontDeskAssistant.webhook_url,
    payload: stringifyJson({
      id: 3,
      customer_phone: '+14155550143',
      duration: 41,
      status: 'ended_by_assistant',
      extracted_variables: { reason: 'Opening hours' },
      input_variables: {},
      transcript: [],
      formatted_transcript: calls.at(-1)?.transcript,
      recording_url: null,
    }),
    status: 'failed',
    attempts: attemptTimes.length,
    tries_left: 0,
    next_attempt_at: null,
    last_status: 503,
    last_error: 'The receiver returned status 503.',
    created_at: at,
    finished_at: at + (attemptTimes.at(-1) ?? 0),
  })
  for (const [n, after] of attemptTimes.entries())
    await insertAttempt(query, {
      account_id: account.id,
      delivery_id: row?.id ?? 0,
      number: n + 1,
      at: at + after,
      status: 503,
      error: null,
      answer: '{"error":"Down for maintenance"}',
      ms: 180 + 20 * n,
    })
}
