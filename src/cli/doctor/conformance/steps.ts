import { isObject, property } from '../../../client/answer.ts'

/** Something a read has to show after a write; `$` in its input stands for what was kept. */
export interface Seen {
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** What it shows, for people. */
  readonly what: string
  readonly holds: (output: unknown, answered: unknown, kept: (name: string) => unknown) => boolean
}

/** A request that writes, and what of its answer later ones name with `$`. */
export interface Step {
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** Keeps a part of the answer under this name. */
  readonly keep?: string
  /** Which part: the id of what was made unless it says otherwise. */
  readonly part: (output: unknown) => unknown
  /** What reads show once it is done. */
  readonly seen: readonly Seen[]
  /** Fields of the answer that are a secret from now on. */
  readonly secret?: string
}

const idOf = (output: unknown): unknown => property(property(output, 'data'), 'id')
const step = (endpoint: string, input: Step['input'], keep?: string, part: Step['part'] = idOf, seen: readonly Seen[] = []): Step => ({
  endpoint,
  input,
  part,
  seen,
  ...(keep !== undefined && { keep }),
})
const then = (endpoint: string, input: Step['input'], ...seen: readonly Seen[]): Step => step(endpoint, input, undefined, idOf, seen)
const shows = (endpoint: string, input: Seen['input'], what: string, holds: Seen['holds']): Seen => ({ endpoint, input, what, holds })

/** Secrets the check makes: whatever shows one of them afterwards tells a secret. */
export const planted = { sip: 'conformance-sip-password', automation: 'conformance-automation-key' } as const

const rowIn = (output: unknown, id: unknown): unknown => {
  const items = Array.isArray(output) ? output : property(output, 'data')
  return Array.isArray(items) ? items.find((it) => isObject(it) && String(it.id) === String(id)) : undefined
}
/** A field of the row of something that was made. */
const field = (list: string, input: Seen['input'], kept: string, name: string, expected: unknown): Seen =>
  shows(list, input, `${name} ${JSON.stringify(expected)}`, (output, _, keptAs) => property(rowIn(output, keptAs(kept)), name) === expected)
const codeIn = (what: string, part: string): Seen =>
  shows('automate.get', { id: '$automation' }, what, (output) => (JSON.stringify(property(property(output, 'data'), 'definition')) ?? '').includes(part))

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
export const flow = (source: string, input: object = {}): object => ({
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
  },
  steps: [{ name: 'step_1', type: 'CODE', settings: { sourceCode: { code: `export const code = async (inputs) => (${source})`, packageJson: '{}' }, input } }],
})

/** Makes one thing of each kind, in an account with nothing in it. */
export const making: readonly Step[] = [
  { ...step('keys.create', { name: 'Conformance' }), secret: 'api_key.token' },
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
      sip_password: planted.sip,
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
  then('assistants.setStatus', { id: '$assistant', status: 'active' }, field('assistants.list', { per_page: 100 }, 'assistant', 'status', 'active')),
  ...Object.entries({ ConversationEnded: 'conversation_ended_webhook_url', PostCall: 'webhook_url', Inbound: 'inbound_webhook_url' }).flatMap(
    ([event, name]) => {
      const all = { per_page: 100 }
      return [
        then(
          `assistants.enable${event}Webhook`,
          { assistant_id: '$assistant', webhook_url: 'https://example.com/hook' },
          field('assistants.list', all, 'assistant', name, 'https://example.com/hook'),
        ),
        then(`assistants.disable${event}Webhook`, { assistant_id: '$assistant' }, field('assistants.list', all, 'assistant', name, null)),
      ]
    },
  ),
  step('campaigns.create', { name: 'Conformance', timezone: 'UTC', assistant_id: '$assistant' }, 'campaign'),
  step('leads.create', { campaign_id: '$campaign', phone_number: '+14155550142' }, 'lead'),
  ...['start', 'stop'].map((action) =>
    then(
      'campaigns.updateStatus',
      { campaign_id: '$campaign', action },
      shows(
        'campaigns.get',
        { id: '$campaign' },
        'the status that was answered',
        (output, answered) => property(property(output, 'data'), 'status') === property(property(answered, 'data'), 'status'),
      ),
    ),
  ),
  step('leads.update', { id: '$lead', status: 'completed' }),
  step('calls.start', { phone_number: '+14155550142', assistant_id: '$assistant' }),
  step('calls.list', {}, 'call', inList('data', 'id')),
  step('sms.send', { from: '$number', to: '+14155550142', body: 'Conformance' }),
  step('conversations.create', { assistant_id: '$assistantUuid' }, 'conversation', (it) => property(it, 'conversation_id')),
  step('user.me', {}, 'balance', (it) => property(it, 'total_balance')),
  then(
    'conversations.send',
    { uuid: '$conversation', message: 'Hello' },
    shows('conversations.get', { uuid: '$conversation' }, 'the message and its reply', (output, answered) => {
      const history = property(output, 'history')
      const [said, reply] = (Array.isArray(history) ? history : []).slice(-2)
      return property(said, 'role') === 'user' && property(said, 'content') === 'Hello' && property(reply, 'content') === property(answered, 'message')
    }),
    field('conversations.list', {}, 'conversation', 'total_cost', 0.01),
    shows('user.me', {}, 'a balance that is 0.01 lower', (output, _, kept) => {
      const spent = Number(kept('balance')) - Number(property(output, 'total_balance'))
      return Math.abs(spent - 0.01) < 0.0001
    }),
  ),
  then('conversations.disableAi', { uuid: '$conversation' }, field('conversations.list', {}, 'conversation', 'ai_enabled', false)),
  step('conversations.send', { uuid: '$conversation', message: 'Hello again' }),
  then('conversations.enableAi', { uuid: '$conversation' }, field('conversations.list', {}, 'conversation', 'ai_enabled', true)),
  step('conversations.create', { assistant_id: '$assistantUuid', type: 'test' }, 'free', (it) => property(it, 'conversation_id')),
  step('user.me', {}, 'balance', (it) => property(it, 'total_balance')),
  then(
    'conversations.send',
    { uuid: '$free', message: 'Hello' },
    shows('user.me', {}, 'the same balance after a test message', (output, _, kept) => Number(property(output, 'total_balance')) === Number(kept('balance'))),
  ),
  step('replies.generate', { assistant_id: '$assistant', customer_identifier: 'conformance', message: 'Hello' }),
  step('automate.create', { name: 'Conformance', flow: flow('1'), sample: {} }, 'automation', automationIdOf, [
    shows('automate.list', {}, 'what was created', (output, answered) => rowIn(output, property(answered, 'automation_id')) !== undefined),
    codeIn('what was created', '=> (1)'),
  ]),
  then('automate.update', { id: '$automation', name: 'Conformance renamed', enabled: false }, field('automate.list', {}, 'automation', 'status', 'disabled')),
  then('automate.update', { id: '$automation', enabled: true }, field('automate.list', {}, 'automation', 'status', 'enabled')),
  // What fails its test leaves a run to retry, and a version to go back to.
  then(
    'automate.update',
    { id: '$automation', flow: flow('inputs.missing.field'), sample: {} },
    codeIn('what was sent', 'inputs.missing.field'),
    field('automate.list', {}, 'automation', 'status', 'disabled'),
  ),
  step('automate.runs', { id: '$automation' }, 'run', inList('runs', 'id', { status: 'FAILED' })),
  step('automate.retry', { id: '$automation', run_id: '$run' }),
  then('automate.update', { id: '$automation', flow: flow('2'), sample: {} }, codeIn('what was sent', '=> (2)')),
  step('automate.list', {}, 'state', (output) => property(output, 'data')),
  then(
    'automate.restore',
    { id: '$automation' },
    codeIn('the version before', 'inputs.missing.field'),
    shows('automate.list', {}, 'the status it had', (output, answered, kept) => {
      const [was, is] = [kept('state'), output].map((it) => property(rowIn(it, kept('automation')), 'status'))
      return was === is && property(answered, 'status') === is
    }),
  ),
  step('automate.create', { name: 'Conformance secret', flow: flow('1', { api_key: planted.automation }), sample: {} }, 'masked', automationIdOf, [
    shows('automate.get', { id: '$masked' }, 'a masked key', (output) => (JSON.stringify(output) ?? '').includes('•••')),
    shows('automate.get', { id: '$masked', include_secrets: true }, 'the key, when asked for it', (output) =>
      (JSON.stringify(output) ?? '').includes(planted.automation),
    ),
  ]),
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

/** Finds what the refusals of messages are about. */
export const addressing: readonly Step[] = [
  step('messaging.senders', {}, 'sender', inList('data', 'id')),
  step('messaging.templates', { senderId: '$sender' }, 'template', inList('data', 'id', { has_variables: false })),
  step('messaging.senders', { status: 'all' }, 'offline', inList('data', 'id', { status: 'offline' })),
  step('messaging.templates', { senderId: '$offline' }, 'offlineTemplate', inList('data', 'id', { has_variables: false })),
]

/** Takes everything apart again. */
export const unmaking: readonly Step[] = [
  step('automate.delete', { id: '$applied' }),
  step('automate.delete', { id: '$masked' }),
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
