import { property } from '../../client/answer.ts'

/** A request that writes, and what of its answer later ones name with `$`. */
export interface Step {
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** Keeps a part of the answer under this name. */
  readonly keep?: string
  /** Which part: the id of what was made unless it says otherwise. */
  readonly part: (output: unknown) => unknown
}

const idOf = (output: unknown): unknown => property(property(output, 'data'), 'id')
const step = (endpoint: string, input: Step['input'], keep?: string, part: Step['part'] = idOf): Step => ({
  endpoint,
  input,
  part,
  ...(keep !== undefined && { keep }),
})

/** A field of the first item of a list for which everything given holds. */
const inList =
  (list: string, field: string, wanted: Readonly<Record<string, unknown>> = {}): Step['part'] =>
  (output) => {
    const items = property(output, list)
    const isWanted = (it: unknown): boolean => Object.entries(wanted).every(([name, value]) => property(it, name) === value)
    return property(Array.isArray(items) ? items.find(isWanted) : undefined, field)
  }

const grouping = (noun: 'folders' | 'labels'): readonly Step[] => [
  step(`${noun}.create`, { name: 'Conformance', color: 'teal' }, noun),
  step(`${noun}.update`, { id: `$${noun}`, color: null }),
]

const automationIdOf: Step['part'] = (output) => property(output, 'automation_id')

/** Code alone: nothing is sent when it is tested. */
const flow = (source: string): object => ({
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
  },
  steps: [
    { name: 'step_1', type: 'CODE', settings: { sourceCode: { code: `export const code = async (inputs) => (${source})`, packageJson: '{}' }, input: {} } },
  ],
})

/** Makes one thing of each kind, in an account with nothing in it. */
export const making: readonly Step[] = [
  step('keys.create', { name: 'Conformance' }),
  step('keys.list', {}, 'key', inList('api_keys', 'id', { name: 'Conformance' })),
  step(
    'tools.create',
    {
      name: 'conformance',
      description: 'Looks something up.',
      endpoint: 'https://example.com/{x}',
      method: 'POST',
      static_fields: [{ key: 'k', value: 'v' }],
      schema: [{ name: 'x', type: 'float', description: 'A number' }],
    },
    'tool',
  ),
  step('tools.update', { id: '$tool', timeout: 3 }),
  ...grouping('folders'),
  ...grouping('labels'),
  step('knowledge.create', { name: 'Conformance' }, 'knowledge'),
  step('knowledge.update', { id: '$knowledge', description: 'Checked' }),
  step('knowledge.createDocument', { id: '$knowledge', name: 'Page', type: 'website', url: 'https://example.com/' }, 'document'),
  step('knowledge.updateDocument', { id: '$knowledge', docId: '$document', name: 'Renamed' }),
  step('numbers.buy', { phone_number: '+15005550006' }, 'number'),
  step('numbers.update', { id: '$number', nickname: 'Conformance' }),
  step(
    'sipTrunks.create',
    {
      sip_trunk_type: 'number',
      phone_number: '+14155550123',
      sip_username: 'conformance',
      sip_password: 'conformance',
      sip_address: 'sip.example.com',
      sip_calling_format: '+e164',
      inbound_authorization_type: 'auth',
      country_code: 'US',
    },
    'trunk',
  ),
  step('sipTrunks.update', { id: '$trunk', nickname: 'Conformance' }),
  step(
    'assistants.create',
    {
      name: 'Conformance',
      voice_id: 1,
      language_id: 1,
      type: 'outbound',
      mode: 'pipeline',
      timezone: 'UTC',
      initial_message: 'Hello.',
      system_prompt: 'You are being checked.',
      llm_model_id: 2,
      tools: [{ type: 'end_call' }],
    },
    'assistant',
  ),
  step('assistants.list', {}, 'assistantUuid', inList('data', 'uuid')),
  step('assistants.update', { id: '$assistant', max_duration: 60 }),
  ...['ConversationEnded', 'PostCall', 'Inbound'].flatMap((event) => [
    step(`assistants.enable${event}Webhook`, { assistant_id: '$assistant', webhook_url: 'https://example.com/hook' }),
    step(`assistants.disable${event}Webhook`, { assistant_id: '$assistant' }),
  ]),
  step('campaigns.create', { name: 'Conformance', timezone: 'UTC', assistant_id: '$assistant', phone_number_ids: ['$number'] }, 'campaign'),
  step('leads.create', { campaign_id: '$campaign', phone_number: '+14155550142' }, 'lead'),
  ...['start', 'stop'].map((action) => step('campaigns.updateStatus', { campaign_id: '$campaign', action })),
  step('leads.update', { id: '$lead', status: 'completed' }),
  step('calls.start', { phone_number: '+14155550142', assistant_id: '$assistant' }),
  step('calls.list', {}, 'call', inList('data', 'id')),
  step('sms.send', { from: '$number', to: '+14155550142', body: 'Conformance' }),
  step('conversations.create', { assistant_id: '$assistantUuid' }, 'conversation', (it) => property(it, 'conversation_id')),
  step('conversations.send', { uuid: '$conversation', message: 'Hello' }),
  step('conversations.disableAi', { uuid: '$conversation' }),
  step('conversations.send', { uuid: '$conversation', message: 'Hello again' }),
  step('conversations.enableAi', { uuid: '$conversation' }),
  step('replies.generate', { assistant_id: '$assistant', customer_identifier: 'conformance', message: 'Hello' }),
  step('automate.create', { name: 'Conformance', flow: flow('1'), sample: {} }, 'automation', automationIdOf),
  // What fails its test leaves a run to retry, and a version to go back to.
  step('automate.update', { id: '$automation', flow: flow('inputs.missing.field'), sample: {} }),
  step('automate.runs', { id: '$automation' }, 'run', inList('runs', 'id', { status: 'FAILED' })),
  step('automate.retry', { id: '$automation', run_id: '$run' }),
  step('automate.update', { id: '$automation', flow: flow('2'), sample: {} }),
  step('automate.restore', { id: '$automation' }),
  step('automate.restoreVersion', { id: '$automation', number: 1 }),
  step(
    'automate.apply',
    { key: 'lead-intake-webhook', params: { campaign_id: '$campaign' }, name: 'Conformance', confirm_side_effects: true },
    'applied',
    automationIdOf,
  ),
]

/** Writes to somebody, first with a template, which opens the window for text without one. The account has been given senders for it. */
export const sending: readonly Step[] = [
  step('messaging.senders', {}, 'sender', inList('data', 'id')),
  step('messaging.templates', { senderId: '$sender' }, 'template', inList('data', 'id', { has_variables: false })),
  step('messaging.send', { sender_id: '$sender', template_id: '$template', recipient_phone: '+14155550142' }),
  step('messaging.sendFreeform', { sender_id: '$sender', recipient_phone: '+14155550142', message: 'Conformance' }),
]

/** Takes everything apart again. */
export const unmaking: readonly Step[] = [
  step('automate.delete', { id: '$applied' }),
  step('automate.delete', { id: '$automation' }),
  step('calls.delete', { id: '$call' }),
  step('leads.delete', { id: '$lead' }),
  step('campaigns.delete', { id: '$campaign' }),
  step('assistants.delete', { id: '$assistant' }),
  step('numbers.release', { id: '$number' }),
  step('knowledge.deleteDocument', { id: '$knowledge', docId: '$document' }),
  step('knowledge.delete', { id: '$knowledge' }),
  step('labels.delete', { id: '$labels' }),
  step('folders.delete', { id: '$folders' }),
  step('tools.delete', { id: '$tool' }),
  step('keys.delete', { id: '$key' }),
]

/** Fields of a body that name what has to be the account's own. */
export const references: Readonly<Record<string, string>> = {
  'campaigns.updateStatus': 'campaign_id',
  'leads.create': 'campaign_id',
  'calls.start': 'assistant_id',
  'replies.generate': 'assistant_id',
  'conversations.create': 'assistant_id',
  'messaging.send': 'sender_id',
  'messaging.sendFreeform': 'sender_id',
  'sms.send': 'from',
  ...Object.fromEntries(
    ['ConversationEnded', 'PostCall', 'Inbound'].flatMap((it) => ['enable', 'disable'].map((verb) => [`assistants.${verb}${it}Webhook`, 'assistant_id'])),
  ),
}

/** Where the parameters of a read come from, when not from the list of its resource. */
export const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'messaging.templates': { senderId: 'messaging.senders' },
  'messaging.session': { sender_id: 'messaging.senders' },
  'automate.getRun': { run_id: 'automate.listRuns' },
  'knowledge.getDocument': { docId: 'knowledge.listDocuments' },
}

/** Values of reads that need more than an id, or find more with them. */
export const queries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'messaging.senders': { status: 'all' },
  'messaging.templates': { status: 'all' },
  'messaging.session': { recipient_phone: '+15005550006' },
  'automate.version': { number: 1 },
}
