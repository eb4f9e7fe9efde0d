// What the conformance check writes, as data, in order: a step can use what an earlier one stored (`$name`). Every write
// endpoint needs a step here that succeeds. What a step creates is deleted at the end.

import { property } from '../../../../client/response-body.ts'
import { maxPerPage } from '../../../../contract/values/page-size.ts'
import { stringifyJson } from '../../../../node/json.ts'
import {
  codeFlow,
  expectation,
  expectCode,
  expectField,
  expectRunStatus,
  rowIn,
  selectFromList,
  step,
  stepExpecting,
  type WriteStep,
} from './write-step.ts'

/** Secrets that the check creates: any later response that contains one leaks it. */
export const plantedSecrets = { sip: 'conformance-sip-password', automation: 'conformance-automation-key' } as const

/** Number that every Parley server sells for tests. */
export const testNumber = '+15005550006'

const groupingSteps = (noun: 'folders' | 'labels'): readonly WriteStep[] => [
  step(`${noun}.create`, { name: '$name', color: 'teal' }, noun),
  step(`${noun}.update`, { id: `$${noun}`, color: null }),
]

const stoppedAtOf = (output: unknown): unknown => property(property(output, 'data'), 'stopped_at')
const automationIdOf: WriteStep['select'] = (output) => property(output, 'automation_id')

const firstOf = (output: unknown): unknown => {
  const rows = Array.isArray(output) ? output : property(output, 'data')
  const id = property(Array.isArray(rows) ? rows[0] : undefined, 'id')
  // An id as text is tolerated in a response, but not in a request.
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id
}

/** Which trunks a change of each field re-creates (section 4.21). */
const provisioning: Readonly<
  Record<string, { readonly value: object; readonly inbound: boolean; readonly outbound: boolean }>
> = {
  sip_username: { value: { sip_username: 'conformance2' }, inbound: true, outbound: true },
  sip_password: { value: { sip_password: `${plantedSecrets.sip}-2` }, inbound: true, outbound: true },
  sip_address: { value: { sip_address: 'sip2.example.com' }, inbound: false, outbound: true },
  phone_number: { value: { phone_number: '+14155550124' }, inbound: true, outbound: true },
  inbound_authorization_type: {
    value: { inbound_authorization_type: 'ip', allowed_inbound_ips: ['192.0.2.1'] },
    inbound: true,
    outbound: false,
  },
  allowed_inbound_ips: { value: { allowed_inbound_ips: ['192.0.2.2'] }, inbound: true, outbound: false },
  outbound_proxy: { value: { outbound_proxy: true }, inbound: false, outbound: true },
  sip_calling_format: { value: { sip_calling_format: 'national' }, inbound: false, outbound: false },
  country_code: { value: { country_code: 'GB' }, inbound: false, outbound: false },
}

/** Finds what an assistant needs. */
export const lookupSteps: readonly WriteStep[] = [
  { ...step('languages.list', {}, 'language', firstOf), otherwise: { language: 1 } },
  // The first ids exist on most platforms, also where a list is not understood.
  {
    ...step('voices.list', { mode: 'pipeline', language_id: '$language' }, 'voice', firstOf),
    otherwise: { language: 1, voice: 1 },
  },
  { ...step('models.list', { type: 'llm' }, 'model', firstOf), otherwise: { model: 1 } },
]

const newAssistant = {
  name: '$name',
  voice_id: '$voice',
  language_id: '$language',
  type: 'outbound',
  mode: 'pipeline',
  timezone: 'UTC',
  initial_message: 'Hello.',
  system_prompt: 'You are being checked.',
  llm_model_id: '$model',
  tools: [{ type: 'end_call' }],
} as const

const uuidOf =
  (storedName: string): WriteStep['select'] =>
  (output, getStored) =>
    property(rowIn(output, getStored(storedName)), 'uuid')

/**
 * Causes the end of two widget conversations, which costs nothing: one whose webhook is enabled, and one whose webhook
 * was disabled again. The first assistant also places the call. `$ended`, `$silent` and `$called` are URLs of the
 * receiver.
 */
const deliverySteps: readonly WriteStep[] = [
  ...(['notified', 'silenced'] as const).flatMap((noun) => [
    step(
      'assistants.create',
      { ...newAssistant, conversation_inactivity_timeout: 1, send_webhook_only_on_completed: false },
      noun,
    ),
    step('assistants.list', { per_page: maxPerPage }, `${noun}Uuid`, uuidOf(noun)),
    step('assistants.enableConversationEndedWebhook', {
      assistant_id: `$${noun}`,
      webhook_url: noun === 'notified' ? '$ended' : '$silent',
    }),
  ]),
  step('assistants.disableConversationEndedWebhook', { assistant_id: '$silenced' }),
  step('assistants.enablePostCallWebhook', { assistant_id: '$notified', webhook_url: '$called' }),
  ...['notified', 'silenced'].map((noun) =>
    step('conversations.create', { assistant_id: `$${noun}Uuid` }, `${noun}Conversation`, (output) =>
      property(output, 'conversation_id'),
    ),
  ),
]

/** Creates one resource of each kind. */
export const createSteps: readonly WriteStep[] = [
  ...lookupSteps,
  { ...step('keys.create', { name: '$name' }), secretPath: 'api_key.token' },
  step('keys.list', {}, 'key', (output, getStored) =>
    selectFromList('api_keys', 'id', { name: getStored('name') })(output, getStored),
  ),
  step(
    'tools.create',
    {
      name: '$plainName',
      description: 'Returns a value.',
      endpoint: 'https://example.com/{x}',
      method: 'POST',
      static_fields: [{ key: 'k', value: 'v' }],
      schema: [{ name: 'x', type: 'float', description: 'A number' }],
    },
    'tool',
  ),
  step('tools.update', { id: '$tool', timeout: 3 }),
  // Lists are replaced, not merged.
  ...['a', 'b'].map((name) =>
    step('tools.update', {
      id: '$tool',
      headers: [{ name, value: name }],
      static_fields: [{ key: name, value: name }],
      schema: [{ name, type: 'string', description: 'A text', required: true }],
    }),
  ),
  ...groupingSteps('folders'),
  ...groupingSteps('labels'),
  step('knowledge.create', { name: '$name' }, 'knowledge'),
  step('knowledge.update', { id: '$knowledge', description: 'Checked' }),
  step(
    'knowledge.createDocument',
    { id: '$knowledge', name: 'Page', type: 'website', url: 'https://example.com/' },
    'document',
  ),
  step('knowledge.updateDocument', { id: '$knowledge', docId: '$document', name: 'Renamed' }),
  step('numbers.buy', { phone_number: '$offer' }, 'number'),
  step('numbers.update', { id: '$number', nickname: '$name' }),
  step(
    'sipTrunks.create',
    {
      sip_trunk_type: 'number',
      phone_number: '+14155550123',
      nickname: '$name',
      sip_username: 'conformance',
      sip_password: plantedSecrets.sip,
      sip_address: 'sip.example.com',
      sip_calling_format: '+e164',
      inbound_authorization_type: 'auth',
      country_code: 'US',
    },
    'trunk',
  ),
  step('sipTrunks.update', { id: '$trunk', nickname: '$name' }),
  ...Object.entries(provisioning).flatMap(([field, { value, inbound, outbound }]) => [
    step('sipTrunks.get', { id: '$trunk' }, 'provisioned', (output) => property(output, 'data')),
    stepExpecting(
      'sipTrunks.update',
      { id: '$trunk', ...value },
      expectation(
        'sipTrunks.get',
        { id: '$trunk' },
        `${field}: inbound trunk ${inbound ? 're-created' : 'unchanged'}, outbound trunk ${outbound ? 're-created' : 'unchanged'}`,
        (output, _, getStored) =>
          (['inbound', 'outbound'] as const).every((side) => {
            const [was, is] = [getStored('provisioned'), property(output, 'data')].map((trunk) =>
              property(trunk, `${side}_trunk_id`),
            )
            return (was !== is) === (side === 'inbound' ? inbound : outbound)
          }),
      ),
    ),
  ]),
  stepExpecting(
    'sipTrunks.update',
    { id: '$trunk', inbound_authorization_type: 'auth' },
    expectation(
      'sipTrunks.get',
      { id: '$trunk' },
      'no allowed addresses with the type auth',
      (output) => !(property(property(output, 'data'), 'allowed_inbound_ips') as readonly unknown[] | null)?.length,
    ),
  ),
  ...deliverySteps,
  step('assistants.create', newAssistant, 'assistant'),
  step('assistants.list', { per_page: maxPerPage }, 'assistantUuid', uuidOf('assistant')),
  step('assistants.update', { id: '$assistant', max_duration: 60 }),
  stepExpecting(
    'assistants.setStatus',
    { id: '$assistant', status: 'active' },
    expectField('assistants.list', { per_page: maxPerPage }, 'assistant', 'status', 'active'),
  ),
  ...Object.entries({
    ConversationEnded: 'conversation_ended_webhook_url',
    PostCall: 'webhook_url',
    Inbound: 'inbound_webhook_url',
  }).flatMap(([event, name]) => {
    const all = { per_page: maxPerPage }
    return [
      stepExpecting(
        `assistants.enable${event}Webhook`,
        { assistant_id: '$assistant', webhook_url: 'https://example.com/hook' },
        expectField('assistants.list', all, 'assistant', name, 'https://example.com/hook'),
      ),
      stepExpecting(
        `assistants.disable${event}Webhook`,
        { assistant_id: '$assistant' },
        expectField('assistants.list', all, 'assistant', name, null),
      ),
    ]
  }),
  step('campaigns.create', { name: '$name', timezone: 'UTC', assistant_id: '$assistant' }, 'campaign'),
  step('campaigns.update', { id: '$campaign', max_retries: 2 }),
  step('leads.create', { campaign_id: '$campaign', phone_number: '+14155550142' }, 'lead'),
  // The second one is the lead that the campaign has.
  step('leads.createBatch', {
    campaign_id: '$campaign',
    leads: [{ phone_number: '+14155550143' }, { phone_number: '+14155550142' }],
  }),
  ...['start', 'stop'].map((action) =>
    stepExpecting(
      'campaigns.updateStatus',
      { campaign_id: '$campaign', action },
      expectation(
        'campaigns.get',
        { id: '$campaign' },
        'the status in the response',
        (output, answered) =>
          property(property(output, 'data'), 'status') === property(property(answered, 'data'), 'status'),
      ),
    ),
  ),
  step('leads.update', { id: '$lead', status: 'completed' }),
  // Variables are merged.
  step('leads.update', { id: '$lead', variables: { first: 'a' } }),
  stepExpecting(
    'leads.update',
    { id: '$lead', variables: { second: 'b' } },
    expectation('leads.list', { campaign_id: '$campaign' }, 'the earlier variables as well', (output, _, getStored) => {
      const variables = property(rowIn(output, getStored('lead')), 'variables')
      return property(variables, 'first') === 'a' && property(variables, 'second') === 'b'
    }),
  ),
  step('contacts.block', { contacts: [{ phone_number: '+14155550149', channel: 'all', reason: 'Conformance check' }] }),
  step('contacts.unblock', { contacts: [{ phone_number: '+14155550149', channel: 'all' }] }),
  // Nothing is changed.
  step('contacts.updateSettings', {}),
  step('contacts.updateHours', {}),
  step('calls.start', { phone_number: '+14155550142', assistant_id: '$notified' }),
  // Only the call of this check, not another one of the account.
  {
    ...step('calls.list', {}, 'call', (output, getStored) =>
      selectFromList('data', 'id', { assistant_name: getStored('name') })(output, getStored),
    ),
    after: 'calls.start',
  },
  step('calls.stop', { id: '$call' }),
  stepExpecting(
    'user.stop',
    {},
    expectation('user.activity', {}, 'the time of the stop', (output) => typeof stoppedAtOf(output) === 'string'),
  ),
  stepExpecting(
    'user.resume',
    {},
    expectation('user.activity', {}, 'no time of a stop', (output) => stoppedAtOf(output) === null),
  ),
  step('sms.send', { from: '$number', to: '+14155550142', body: 'Conformance' }),
  step('conversations.create', { assistant_id: '$assistantUuid' }, 'conversation', (output) =>
    property(output, 'conversation_id'),
  ),
  step('user.me', {}, 'balance', (it) => property(it, 'total_balance')),
  stepExpecting(
    'conversations.send',
    { uuid: '$conversation', message: 'Hello' },
    expectation('conversations.get', { uuid: '$conversation' }, 'the message and its reply', (output, answered) => {
      const history = property(output, 'history')
      const [sent, reply] = (Array.isArray(history) ? history : []).slice(-2)
      return (
        property(sent, 'role') === 'user' &&
        property(sent, 'content') === 'Hello' &&
        property(reply, 'content') === property(answered, 'message')
      )
    }),
    expectField('conversations.list', {}, 'conversation', 'total_cost', 0.01),
    expectation('user.me', {}, 'a balance reduced by 0.01', (output, _, getStored) => {
      const spent = Number(getStored('balance')) - Number(property(output, 'total_balance'))
      return Math.abs(spent - 0.01) < 0.0001
    }),
  ),
  stepExpecting(
    'conversations.disableAi',
    { uuid: '$conversation' },
    expectField('conversations.list', {}, 'conversation', 'ai_enabled', false),
  ),
  step('conversations.send', { uuid: '$conversation', message: 'Hello again' }),
  stepExpecting(
    'conversations.enableAi',
    { uuid: '$conversation' },
    expectField('conversations.list', {}, 'conversation', 'ai_enabled', true),
  ),
  step('conversations.create', { assistant_id: '$assistantUuid', type: 'test' }, 'free', (output) =>
    property(output, 'conversation_id'),
  ),
  step('user.me', {}, 'balance', (it) => property(it, 'total_balance')),
  stepExpecting(
    'conversations.send',
    { uuid: '$free', message: 'Hello' },
    expectation(
      'user.me',
      {},
      'the same balance after a test message',
      (output, _, getStored) => Number(property(output, 'total_balance')) === Number(getStored('balance')),
    ),
  ),
  step('replies.generate', { assistant_id: '$assistant', customer_identifier: 'conformance', message: 'Hello' }),
  step('automate.create', { name: '$name', flow: codeFlow('1'), sample: {} }, 'automation', automationIdOf, [
    expectation(
      'automate.list',
      {},
      'the created value',
      (output, answered) => rowIn(output, property(answered, 'automation_id')) !== undefined,
    ),
    expectCode('the created value', '=> (1)'),
    expectation('automate.get', { id: '$automation' }, 'a webhook_url that ends with its id', (_, answered) =>
      String(property(answered, 'webhook_url')).endsWith(
        `/automate/api/v1/webhooks/${String(property(answered, 'automation_id'))}`,
      ),
    ),
  ]),
  stepExpecting(
    'automate.update',
    { id: '$automation', name: '$name', enabled: false },
    expectField('automate.list', {}, 'automation', 'status', 'disabled'),
  ),
  stepExpecting(
    'automate.update',
    { id: '$automation', enabled: true },
    expectField('automate.list', {}, 'automation', 'status', 'enabled'),
  ),
  // A failed test leaves a run to retry and a version to restore.
  stepExpecting(
    'automate.update',
    { id: '$automation', flow: codeFlow('inputs.missing.field'), sample: {} },
    expectCode('the sent value', 'inputs.missing.field'),
    expectField('automate.list', {}, 'automation', 'status', 'disabled'),
  ),
  step('automate.runs', { id: '$automation' }, 'run', selectFromList('runs', 'id', { status: 'FAILED' })),
  step('automate.retry', { id: '$automation', run_id: '$run' }),
  // Nothing changes in a run that has ended.
  stepExpecting('automate.rerun', { run_id: '$run' }, expectRunStatus('FAILED')),
  stepExpecting('automate.cancelRun', { run_id: '$run' }, expectRunStatus('FAILED')),
  stepExpecting(
    'automate.update',
    { id: '$automation', flow: codeFlow('2'), sample: {} },
    expectCode('the sent value', '=> (2)'),
  ),
  step('automate.list', {}, 'state', (output) => property(output, 'data')),
  stepExpecting(
    'automate.restore',
    { id: '$automation' },
    expectCode('the previous version', 'inputs.missing.field'),
    expectation('automate.list', {}, 'the previous status', (output, answered, getStored) => {
      const [was, is] = [getStored('state'), output].map((it) => property(rowIn(it, getStored('automation')), 'status'))
      return was === is && property(answered, 'status') === is
    }),
  ),
  step(
    'automate.create',
    { name: '$name', flow: codeFlow('1', { api_key: plantedSecrets.automation }), sample: {} },
    'masked',
    automationIdOf,
    [
      expectation('automate.get', { id: '$masked' }, 'a masked key', (output) =>
        (stringifyJson(output) ?? '').includes('•••'),
      ),
      expectation('automate.get', { id: '$masked', include_secrets: true }, 'the key, when requested', (output) =>
        (stringifyJson(output) ?? '').includes(plantedSecrets.automation),
      ),
    ],
  ),
  step('automate.restoreVersion', { id: '$automation', number: 1 }),
  step(
    'automate.apply',
    {
      key: 'lead-intake-webhook',
      params: { campaign_id: '$campaign' },
      name: '$name',
      confirm_side_effects: true,
    },
    'applied',
    automationIdOf,
  ),
]

/** Deletes the created resources. */
export const deleteSteps: readonly WriteStep[] = [
  step('numbers.release', { id: '$trunk' }),
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

/** Finds a sender, and a template without placeholders. */
export const senderSteps: readonly WriteStep[] = [
  step('messaging.senders', {}, 'sender', selectFromList('data', 'id')),
  step(
    'messaging.templates',
    { senderId: '$sender' },
    'template',
    selectFromList('data', 'id', { has_variables: false }),
  ),
]

/** Expects that what a step has found waits no more. */
const expectWaiting = (state: string, what: string) =>
  expectation(
    'contacts.waiting',
    { state },
    what,
    (output, _, getStored) =>
      selectFromList('data', 'id', { id: getStored('waiting') })(output, getStored) !== undefined,
  )

/** Steps with two calls that wait for the contact hours. */
export const waitingSteps: readonly WriteStep[] = [
  step('contacts.waiting', {}, 'waiting', selectFromList('data', 'id', { channel: 'call' })),
  stepExpecting('contacts.cancelWaiting', { waiting_id: '$waiting' }, expectWaiting('cancelled', 'what was cancelled')),
  step('contacts.waiting', {}, 'waiting', selectFromList('data', 'id', { channel: 'call' })),
  stepExpecting('contacts.sendWaiting', { waiting_id: '$waiting' }, expectWaiting('started', 'what was started')),
]

/** Sends messages. The template opens the window for text without one. The account must have senders. */
export const messageSteps: readonly WriteStep[] = [
  ...senderSteps,
  step('messaging.updateAssignment', { id: '$sender', assistant_id: '$assistant' }),
  stepExpecting(
    'messaging.send',
    { sender_id: '$sender', template_id: '$template', recipient_phone: '+14155550142' },
    expectation(
      'messaging.session',
      { sender_id: '$sender', recipient_phone: '+14155550142' },
      'an open 24-hour window after a template',
      (output) => property(property(output, 'session_status'), 'is_open') === true,
    ),
  ),
  step('messaging.sendFreeform', { sender_id: '$sender', recipient_phone: '+14155550142', message: 'Conformance' }),
]

/** Finds the senders and templates for the refusals of messages. */
export const messageLookupSteps: readonly WriteStep[] = [
  ...senderSteps,
  step('messaging.senders', { status: 'all' }, 'offline', selectFromList('data', 'id', { status: 'offline' })),
  step(
    'messaging.templates',
    { senderId: '$offline' },
    'offlineTemplate',
    selectFromList('data', 'id', { has_variables: false }),
  ),
]
