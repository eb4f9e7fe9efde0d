/** A request that writes, and what of its answer later ones name with `$`. */
export interface Step {
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** Keeps the id of what was made under this name. */
  readonly keep?: string
}

const step = (endpoint: string, input: Step['input'], keep?: string): Step => ({ endpoint, input, ...(keep !== undefined && { keep }) })

const grouping = (noun: 'folders' | 'labels'): readonly Step[] => [
  step(`${noun}.create`, { name: 'Conformance', color: 'teal' }, noun),
  step(`${noun}.update`, { id: `$${noun}`, color: null }),
]

/** Makes one thing of each kind, in an account with nothing in it. */
export const making: readonly Step[] = [
  step('keys.create', { name: 'Conformance' }),
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
  step('assistants.update', { id: '$assistant', max_duration: 60 }),
  ...['ConversationEnded', 'PostCall', 'Inbound'].flatMap((event) => [
    step(`assistants.enable${event}Webhook`, { assistant_id: '$assistant', webhook_url: 'https://example.com/hook' }),
    step(`assistants.disable${event}Webhook`, { assistant_id: '$assistant' }),
  ]),
  step('campaigns.create', { name: 'Conformance', timezone: 'UTC', assistant_id: '$assistant' }, 'campaign'),
  step('leads.create', { campaign_id: '$campaign', phone_number: '+14155550142' }, 'lead'),
  step('leads.update', { id: '$lead', status: 'completed' }),
]

/** Takes everything apart again. */
export const unmaking: readonly Step[] = [
  step('leads.delete', { id: '$lead' }),
  step('campaigns.delete', { id: '$campaign' }),
  step('assistants.delete', { id: '$assistant' }),
  step('numbers.release', { id: '$number' }),
  step('knowledge.deleteDocument', { id: '$knowledge', docId: '$document' }),
  step('knowledge.delete', { id: '$knowledge' }),
  step('labels.delete', { id: '$labels' }),
  step('folders.delete', { id: '$folders' }),
  step('tools.delete', { id: '$tool' }),
]

/** Where the parameters of a read come from, when not from the list of its resource. */
export const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'messaging.templates': { senderId: 'messaging.senders' },
  'messaging.session': { sender_id: 'messaging.senders' },
  'knowledge.getDocument': { docId: 'knowledge.listDocuments' },
}

/** Values of reads that need more than an id, or find more with them. */
export const queries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'messaging.senders': { status: 'all' },
  'messaging.templates': { status: 'all' },
  'messaging.session': { recipient_phone: '+15005550006' },
}
