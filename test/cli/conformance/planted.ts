import { answering, asking, type Body, headed, ignoring, type Planted, pretending, refusing, status, taking } from './planting.ts'

const it = (endpoint: string, name: string, plant: Planted['plant'], more: Partial<Planted> = {}): Planted => ({ endpoint, name, plant, ...more })
const rows = (body: Body): Body[] => (Array.isArray(body) ? body : (body.data ?? body.api_keys ?? body.runs))
const each = (change: (row: Body) => void) =>
  answering((body: Body) => {
    for (const row of rows(body)) change(row)
  })
const record = (change: (data: Body) => void) =>
  answering((body: Body) => {
    change(body.data ?? body)
  })
const shortTime = (text: string): string => text.replace(/\.\d+Z$/, 'Z')

/** Drifts of a platform, of every kind and over all resources; no two of a group are about the same endpoint. */
export const groups: Readonly<Record<string, readonly Planted[]>> = {
  'shapes and types': [
    it(
      'keys.list',
      'a token in the list of keys',
      each((row) => Object.assign(row, { token: '1|abcdefghij' })),
    ),
    it(
      'user.me',
      'a balance as text',
      answering((body) => ({ ...body, total_balance: String(body.total_balance) })),
      { tolerated: true },
    ),
    it(
      'tools.list',
      'an envelope around a bare list',
      answering((body) => ({ data: body })),
    ),
    it(
      'tools.get',
      'an envelope around a bare record',
      answering((body) => ({ data: body })),
    ),
    it(
      'leads.create',
      'a created_at of another format',
      record((data) => Object.assign(data, { created_at: '2026-01-01T00:00:00Z' })),
    ),
    it(
      'conversations.list',
      'no links',
      answering(({ links: _, ...body }) => body),
    ),
    it(
      'conversations.send',
      'function_calls that are null',
      answering((body) => ({ ...body, function_calls: null })),
    ),
    it(
      'messaging.senders',
      'a limit that is a word',
      each((row) => Object.assign(row, { messaging_limit: 'unlimited' })),
    ),
    it(
      'messaging.templates',
      'variables that are null',
      each((row) => Object.assign(row, { variables: null })),
    ),
    it(
      'numbers.search',
      'a price as text',
      each((row) => Object.assign(row, { price: String(row.price) })),
      { tolerated: true },
    ),
    it(
      'numbers.buy',
      'no id',
      record((data) => void delete data.id),
    ),
    it(
      'assistants.list',
      'a record without its mode',
      each((row) => void delete row.mode),
    ),
    it(
      'assistants.enableConversationEndedWebhook',
      'an object for the reserved array',
      answering((body) => ({ ...body, data: {} })),
    ),
    it(
      'automate.get',
      'an updated_at without milliseconds',
      record((data) => Object.assign(data, { updated_at: shortTime(data.updated_at) })),
    ),
    it(
      'automate.list',
      'no binding',
      each((row) => void delete row.binding),
    ),
    it(
      'automate.templates',
      'a default that is a number',
      each((row) => {
        for (const one of row.params) one.default = 1
      }),
      { tolerated: true },
    ),
    it(
      'models.list',
      'an id as text',
      each((row) => Object.assign(row, { id: String(row.id) })),
      { tolerated: true },
    ),
    it(
      'sipTrunks.get',
      'a created_at without microseconds',
      record((data) => Object.assign(data, { created_at: shortTime(data.created_at) })),
    ),
    it(
      'knowledge.create',
      'a status nobody knows',
      record((data) => Object.assign(data, { status: 'ready' })),
    ),
    it(
      'replies.generate',
      'no success',
      answering(({ success: _, ...body }) => body),
    ),
    it(
      'campaigns.get',
      'a list for the record',
      answering((body) => ({ data: [body.data] })),
    ),
    it(
      'calls.get',
      'a secret among the fields',
      answering((body) => ({ ...body, api_token: 'abcdefghij' })),
    ),
    it('voices.list', 'a content type of a page', headed({ 'content-type': 'text/html; charset=utf-8' })),
    it('languages.list', 'no content type', headed({ 'content-type': '' })),
    it('synthesizers.list', 'no capabilities', headed({ 'parley-capabilities': '' })),
  ],
  'statuses and refusals': [
    it('tools.create', '200 for 201', status(200, 201), { tolerated: true }),
    it('keys.create', '204 for 201', status(204, 201), { tolerated: true }),
    it('automate.create', '200 for what is active', status(200, 201)),
    it(
      'tools.update',
      'another message of a 422',
      refusing((body) => (body.errors ? { ...body, message: 'The given data was invalid.' } : body)),
    ),
    it(
      'tools.delete',
      'another message of a 404',
      refusing((body) => ({ ...body, message: 'No such tool' })),
      { tolerated: true },
    ),
    it(
      'conversations.send',
      'a 422 without errors',
      refusing(({ errors: _, ...body }) => body),
    ),
    it(
      'messaging.templates',
      'another error code',
      refusing((body) => ({ ...body, error_code: 'NOT_FOUND' })),
    ),
    it(
      'messaging.send',
      'no error code',
      refusing(({ error_code: _, ...body }) => body),
    ),
    it(
      'numbers.buy',
      'another text of a number in use',
      refusing((body) => ({ ...body, ...(body.error && { error: 'Taken.' }) })),
    ),
    it('assistants.disableConversationEndedWebhook', '400 for 404', status(400, 404)),
    it(
      'automate.apply',
      'another code of an unknown template',
      refusing((body) => ({ ...body, ...(body.error && { error: 'unknown_template' }) })),
    ),
    it(
      'automate.restore',
      'another code where there is no version before',
      refusing((body) => ({ ...body, ...(body.error === 'no_previous_version' && { error: 'nothing_to_restore' }) })),
    ),
    it('user.me', 'an answer without a key', async (handle, request) => {
      const response = await handle(request)
      return response.status === 401 ? { ...response, status: 200, body: '{"name":"x","email":"x@example.com","total_balance":1}' } : response
    }),
    it('sipTrunks.list', '403 without a key', status(403, 401)),
    it('leads.list', '400 for a size of 0', status(400, 422)),
    it(
      'campaigns.create',
      'texts of errors that are no lists',
      refusing((body) => ({
        ...body,
        ...(body.errors && { errors: Object.fromEntries(Object.entries(body.errors).map(([name, texts]) => [name, (texts as string[])[0]])) }),
      })),
    ),
    it(
      'knowledge.get',
      'message for error in a 404',
      refusing((body) => ({ message: body.error ?? body.message })),
    ),
    it('calls.get', '200 for what nobody has', status(200, 404)),
    it('folders.delete', '500 for what nobody has', status(500, 404)),
  ],
  'pages, filters and defaults': [
    it(
      'leads.list',
      'an off-by-one page',
      asking('page', (page) => (page === null || Number(page) < 1 ? page : String(Number(page) + 1))),
    ),
    it('conversations.list', 'a filter of dates that is ignored', ignoring('date_from', 'date_to')),
    it('calls.list', 'a filter of types that is ignored', ignoring('type')),
    it(
      'assistants.list',
      'another default size',
      asking('per_page', (size) => size ?? '15'),
    ),
    it(
      'folders.list',
      'a stale total',
      answering((body) => ({ ...body, total: body.total + 3 })),
    ),
    it(
      'labels.list',
      'a size that is cut instead of refused',
      asking('per_page', (size) => (size !== null && Number(size) > 100 ? '100' : size)),
    ),
    it(
      'messaging.senders',
      'senders of every status unless asked otherwise',
      asking('status', (given) => given ?? 'all'),
    ),
    it('messaging.templates', 'a filter of statuses that is ignored', ignoring('status')),
    it('numbers.search', 'digits that are ignored', ignoring('contains')),
    it(
      'models.list',
      'another default type',
      asking('type', (type) => type ?? 'multimodal'),
    ),
    it('synthesizers.list', 'a language that is ignored', ignoring('language_id')),
    it('voices.list', 'a language that is ignored', ignoring('language_id')),
    it('automate.runs', 'a limit that is ignored', ignoring('limit')),
    it(
      'keys.list',
      'an id twice',
      answering((body) => ({ api_keys: [...body.api_keys, body.api_keys[0]] })),
    ),
  ],
  'envelopes and order': [
    it(
      'sms.send',
      'a cost as text',
      record((data) => Object.assign(data, { total_cost: String(data.total_cost) })),
      { tolerated: true },
    ),
    it(
      'leads.list',
      'the oldest first',
      answering((body) => ({ ...body, data: [...body.data].reverse() })),
    ),
    it(
      'conversations.list',
      'a next page that loses the size',
      answering((body) => ({ ...body, next_page_url: body.next_page_url?.replace(/per_page=\d+&?/, '') ?? null })),
    ),
    it(
      'calls.list',
      'a last page that is one too many',
      answering((body) => ({ ...body, last_page: body.last_page + 1 })),
    ),
    it(
      'assistants.list',
      'no link that is active',
      answering((body) => ({ ...body, links: body.links.map((one: Body) => ({ ...one, active: false })) })),
    ),
    it(
      'folders.list',
      'the number of another page',
      answering((body) => ({ ...body, current_page: 1 })),
    ),
    it(
      'labels.list',
      'the last page again beyond the end',
      asking('page', (page) => (page !== null && Number(page) > 1 ? '1' : page)),
    ),
    it(
      'tools.list',
      'the newest first',
      answering((body) => [...body].reverse()),
    ),
    it(
      'automate.runs',
      'the oldest first',
      answering((body) => (body.runs ? { runs: [...body.runs].reverse() } : body)),
    ),
    it('numbers.search', 'a country that is ignored', ignoring('country_code')),
    it('transcribers.list', 'rows that depend on nothing', ignoring('language_id')),
    it(
      'messaging.senders',
      'a filter that takes any word',
      asking('status', (given) => (given === null || ['online', 'offline', 'all'].includes(given) ? given : 'online')),
    ),
  ],
  'what was written': [
    it(
      'tools.create',
      'a name that is cut',
      record((data) => Object.assign(data, { name: data.name.slice(0, 5) })),
    ),
    it(
      'tools.update',
      'a change that is not made',
      pretending((body, { id }) => ({ message: 'Tool updated successfully', data: { ...template.tool, id: Number(id), ...body } })),
    ),
    it(
      'tools.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Tool deleted successfully' })),
    ),
    it(
      'leads.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Lead deleted successfully' })),
    ),
    it(
      'knowledge.deleteDocument',
      'what is deleted stays',
      pretending(() => ({ message: 'Document deleted successfully.' })),
    ),
    it(
      'automate.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Automation deleted successfully' })),
    ),
    it(
      'keys.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'API key deleted successfully.' })),
    ),
    it(
      'folders.update',
      'a change that is not made',
      pretending((body, { id }) => ({
        message: 'Folder updated successfully',
        data: { id: Number(id), name: 'Conformance', color: null, assistants_count: 0, ...body },
      })),
    ),
    it(
      'campaigns.updateStatus',
      'another status than it has',
      record((data) => Object.assign(data, { status: 'completed' })),
    ),
    it(
      'assistants.enablePostCallWebhook',
      'a webhook that is not switched on',
      pretending(() => ({ message: 'Webhook enabled successfully', data: [] })),
    ),
    it(
      'assistants.update',
      'other fields that change too',
      taking((body) => Object.assign(body, { name: 'Changed', record: true })),
    ),
    it(
      'conversations.disableAi',
      'a switch that does nothing',
      pretending(() => ({ status: true, ai_enabled: false })),
    ),
    it(
      'conversations.get',
      'a history without the last reply',
      answering((body) => ({ ...body, history: body.history.slice(0, -1) })),
      { shownBy: ['conversations.send'] },
    ),
    it('automate.update', 'a definition that is not stored', async (handle, request) => {
      const body = JSON.parse(request.body ?? '{}')
      if (body.flow) body.flow = JSON.parse(JSON.stringify(body.flow).replace('=> (2)', '=> (3)'))
      return handle({ ...request, body: JSON.stringify(body) })
    }),
    it(
      'automate.restore',
      'a restore that changes nothing',
      pretending((_, { id }) => ({
        automation_id: id,
        name: 'Conformance renamed',
        status: 'enabled',
        restored_version_id: 'abcdefghijklmnopqrstu',
        note: 'Done.',
      })),
    ),
    it(
      'sipTrunks.update',
      'a password in the answer',
      record((data) => Object.assign(data, { sip_password: 'conformance-sip-password' })),
    ),
    it(
      'numbers.list',
      'a number that was bought and is not there',
      answering((body) => ({ data: body.data.filter((one: Body) => one.phone_number !== '+15005550006') })),
      { shownBy: ['numbers.buy'] },
    ),
  ],
  'secrets, limits and consistency': [
    it('automate.get', 'a secret that is not masked', async (handle, request) =>
      handle({ ...request, url: `${request.url.split('?')[0]}?include_secrets=true` }),
    ),
    it(
      'tools.create',
      'a limit that is not kept',
      taking((body) => {
        if (body.timeout === 31) body.timeout = 30
      }),
    ),
    it(
      'labels.create',
      'a name of any length',
      taking((body) => {
        if (typeof body.name === 'string') body.name = body.name.slice(0, 255)
      }),
    ),
    it(
      'assistants.create',
      'a value that is not checked',
      taking((body) => {
        if (body.endpoint_type === 'conformance') delete body.endpoint_type
      }),
    ),
    it(
      'campaigns.create',
      'a required field that is not',
      taking((body) => {
        body.name ??= 'Unnamed'
      }),
    ),
    it(
      'tools.list',
      'another timeout than the tool has',
      each((row) => Object.assign(row, { timeout: 29 })),
      { shownBy: ['tools.get', 'tools.create', 'tools.update'] },
    ),
    it(
      'campaigns.get',
      'another name than in the list',
      record((data) => Object.assign(data, { name: 'Other' })),
    ),
    it(
      'user.me',
      'a balance that never changes',
      answering((body) => ({ ...body, total_balance: 5 })),
      { shownBy: ['conversations.send'] },
    ),
    it(
      'leads.list',
      'rows of another account',
      answering((body) => (body.total === 0 ? { ...body, total: 1, data: [template.lead], from: 1, to: 1 } : body)),
    ),
    it(
      'knowledge.list',
      'updated before it was created',
      each((row) => Object.assign(row, { created_at: '2030-01-01T00:00:00.000000Z' })),
    ),
    it(
      'numbers.update',
      'a nickname beyond its limit',
      taking((body) => {
        if (typeof body.nickname === 'string') body.nickname = body.nickname.slice(0, 50)
      }),
    ),
    it(
      'sipTrunks.update',
      'a field of the wrong type',
      taking((body) => {
        if (typeof body.outbound_proxy === 'object') body.outbound_proxy = true
      }),
    ),
  ],
  'more of each': [
    it(
      'conversations.send',
      'a message of any length',
      taking((body) => {
        if (typeof body.message === 'string') body.message = body.message.slice(0, 2000)
      }),
    ),
    it('conversations.create', '201 for 200', status(201), { tolerated: true }),
    it(
      'sipTrunks.list',
      'a password in the list',
      each((row) => Object.assign(row, { sip_password: 'x' })),
    ),
    it('tools.get', '200 for what nobody has', status(200, 404)),
    it(
      'automate.apply',
      'missing parameters under another code',
      refusing((body) => ({ ...body, ...(body.error === 'missing_params' && { error: 'invalid_params' }) })),
    ),
    it('automate.create', 'a step that is not asked about', async (handle, request) => {
      const body = JSON.parse(request.body ?? '{}')
      return handle({ ...request, body: JSON.stringify({ ...body, confirm_side_effects: true }) })
    }),
    it(
      'messaging.send',
      'a sender that is offline and sends',
      refusing((body) => ({ ...body, ...(body.error_code === 'SENDER_OFFLINE' && { error_code: 'UNKNOWN_ERROR' }) })),
    ),
    it('messaging.sendFreeform', '422 for 404', status(422, 404)),
    it(
      'leads.create',
      'a campaign without its name',
      record((data) => void delete data.campaign.name),
    ),
    it(
      'campaigns.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Campaign deleted successfully' })),
    ),
    it(
      'labels.list',
      'no total',
      answering(({ total: _, ...body }) => body),
    ),
    it(
      'numbers.search',
      'another default country',
      asking('country_code', (given) => given ?? 'GB'),
    ),
    it(
      'synthesizers.list',
      'no code',
      each((row) => void delete row.code),
    ),
    it(
      'assistants.list',
      'numbers as text and truth as 0 and 1',
      each((row) => Object.assign(row, { record: row.record ? 1 : 0, llm_temperature: String(row.llm_temperature) })),
      { tolerated: true },
    ),
    it(
      'keys.list',
      'a last_used_at without microseconds',
      each((row) => Object.assign(row, { last_used_at: row.last_used_at && shortTime(row.last_used_at) })),
    ),
    it(
      'user.me',
      'another text without a key',
      refusing(() => ({ error: 'Unauthorized' })),
    ),
    it(
      'automate.runs',
      'a status nobody knows',
      each((row) => Object.assign(row, { status: 'OK' })),
    ),
  ],
}

const template = {
  tool: {
    name: 'conformance',
    description: 'Looks something up.',
    type: 'http',
    endpoint: 'https://example.com/{x}',
    method: 'POST',
    body_format: 'json',
    headers: [],
    static_fields: [{ key: 'k', value: 'v' }],
    schema: [{ name: 'x', type: 'float', description: 'A number', required: false }],
    created_at: '2026-01-01T00:00:00.000000Z',
    updated_at: '2026-01-01T00:00:00.000000Z',
  },
  lead: {
    id: 1,
    campaign_id: 1,
    phone_number: '+14155550142',
    variables: {},
    status: 'created',
    created_at: '2026-01-01 00:00:00',
    updated_at: '2026-01-01 00:00:00',
    campaign: { id: 1, name: 'Other' },
    secondary_contacts: [],
    fallback_sent_at: null,
  },
}
