import { each, plantIn, record, shortTime } from './drift.ts'
import {
  answering,
  asking,
  type Body,
  type Planted,
  pretending,
  refusing,
  status,
  taking,
} from './drifting-platform.ts'

/** Drifts of what was written, of secrets and limits, and more of each kind. */
export const inEffects: Readonly<Record<string, readonly Planted[]>> = {
  'the written value': [
    plantIn(
      'tools.create',
      'a name that is cut',
      record((data) => Object.assign(data, { name: data.name.slice(0, 5) })),
    ),
    plantIn(
      'tools.update',
      'a change that is not made',
      pretending((body, { id }) => ({
        message: 'Tool updated successfully',
        data: { ...template.tool, id: Number(id), ...body },
      })),
    ),
    plantIn(
      'tools.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Tool deleted successfully' })),
    ),
    plantIn(
      'leads.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Lead deleted successfully' })),
    ),
    plantIn(
      'knowledge.deleteDocument',
      'what is deleted stays',
      pretending(() => ({ message: 'Document deleted successfully.' })),
    ),
    plantIn(
      'automate.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Automation deleted successfully' })),
    ),
    plantIn(
      'keys.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'API key deleted successfully.' })),
    ),
    plantIn(
      'folders.update',
      'a change that is not made',
      pretending((body, { id }) => ({
        message: 'Folder updated successfully',
        data: { id: Number(id), name: 'Conformance', color: null, assistants_count: 0, ...body },
      })),
    ),
    plantIn(
      'campaigns.updateStatus',
      'another status than it has',
      record((data) => Object.assign(data, { status: 'completed' })),
    ),
    plantIn(
      'assistants.enablePostCallWebhook',
      'a webhook that is not switched on',
      pretending(() => ({ message: 'Webhook enabled successfully', data: [] })),
    ),
    plantIn(
      'assistants.update',
      'other fields that change too',
      taking((body) => Object.assign(body, { name: 'Changed', record: true })),
    ),
    plantIn(
      'conversations.disableAi',
      'a switch that does nothing',
      pretending(() => ({ status: true, ai_enabled: false })),
    ),
    plantIn(
      'conversations.get',
      'a history without the last reply',
      answering((body) => ({ ...body, history: body.history.slice(0, -1) })),
      { shownBy: ['conversations.send'] },
    ),
    plantIn('automate.update', 'a definition that is not stored', async (handle, request) => {
      const body = JSON.parse(request.body ?? '{}')
      if (body.flow) body.flow = JSON.parse(JSON.stringify(body.flow).replace('=> (2)', '=> (3)'))
      return handle({ ...request, body: JSON.stringify(body) })
    }),
    plantIn(
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
    plantIn(
      'sipTrunks.update',
      'a password in the answer',
      record((data) => Object.assign(data, { sip_password: 'conformance-sip-password' })),
    ),
    plantIn(
      'numbers.list',
      'a purchased number that is missing',
      answering((body) => ({ data: body.data.filter((one: Body) => one.phone_number !== '+15005550006') })),
      { shownBy: ['numbers.buy'] },
    ),
  ],
  'secrets, limits and consistency': [
    plantIn('automate.get', 'a secret that is not masked', async (handle, request) =>
      handle({ ...request, url: `${request.url.split('?')[0]}?include_secrets=true` }),
    ),
    plantIn(
      'tools.create',
      'a limit that is not kept',
      taking((body) => {
        if (body.timeout === 31) body.timeout = 30
      }),
    ),
    plantIn(
      'labels.create',
      'a name of any length',
      taking((body) => {
        if (typeof body.name === 'string') body.name = body.name.slice(0, 255)
      }),
    ),
    plantIn(
      'assistants.create',
      'a value that is not checked',
      taking((body) => {
        if (body.endpoint_type === 'conformance') delete body.endpoint_type
      }),
    ),
    plantIn(
      'campaigns.create',
      'a required field that is not',
      taking((body) => {
        body.name ??= 'Unnamed'
      }),
    ),
    plantIn(
      'tools.list',
      'another timeout than the tool has',
      each((row) => Object.assign(row, { timeout: 29 })),
      { shownBy: ['tools.get', 'tools.create', 'tools.update'] },
    ),
    plantIn(
      'campaigns.get',
      'another name than in the list',
      record((data) => Object.assign(data, { name: 'Other' })),
    ),
    plantIn(
      'user.me',
      'a balance that never changes',
      answering((body) => ({ ...body, total_balance: 5 })),
      { shownBy: ['conversations.send'] },
    ),
    plantIn(
      'leads.list',
      'rows of another account',
      answering((body) => (body.total === 0 ? { ...body, total: 1, data: [template.lead], from: 1, to: 1 } : body)),
    ),
    plantIn(
      'knowledge.list',
      'updated before it was created',
      each((row) => Object.assign(row, { created_at: '2030-01-01T00:00:00.000000Z' })),
    ),
    plantIn(
      'numbers.update',
      'a nickname beyond its limit',
      taking((body) => {
        if (typeof body.nickname === 'string') body.nickname = body.nickname.slice(0, 50)
      }),
    ),
    plantIn(
      'sipTrunks.update',
      'a field of the wrong type',
      taking((body) => {
        if (typeof body.outbound_proxy === 'object') body.outbound_proxy = true
      }),
    ),
  ],
  'more of each': [
    plantIn(
      'conversations.send',
      'a message of any length',
      taking((body) => {
        if (typeof body.message === 'string') body.message = body.message.slice(0, 2000)
      }),
    ),
    plantIn('conversations.create', '201 for 200', status(201), { tolerated: true }),
    plantIn(
      'sipTrunks.list',
      'a password in the list',
      each((row) => Object.assign(row, { sip_password: 'x' })),
    ),
    plantIn('tools.get', '200 for what nobody has', status(200, 404)),
    plantIn(
      'automate.apply',
      'missing parameters under another code',
      refusing((body) => ({ ...body, ...(body.error === 'missing_params' && { error: 'invalid_params' }) })),
    ),
    plantIn('automate.create', 'a step that is not asked about', async (handle, request) => {
      const body = JSON.parse(request.body ?? '{}')
      return handle({ ...request, body: JSON.stringify({ ...body, confirm_side_effects: true }) })
    }),
    plantIn(
      'messaging.send',
      'a sender that is offline and sends',
      refusing((body) => ({ ...body, ...(body.error_code === 'SENDER_OFFLINE' && { error_code: 'UNKNOWN_ERROR' }) })),
    ),
    plantIn('messaging.sendFreeform', '422 for 404', status(422, 404)),
    plantIn(
      'leads.create',
      'a campaign without its name',
      record((data) => void delete data.campaign.name),
    ),
    plantIn(
      'campaigns.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Campaign deleted successfully' })),
    ),
    plantIn(
      'labels.list',
      'no total',
      answering(({ total: _, ...body }) => body),
    ),
    plantIn(
      'numbers.search',
      'another default country',
      asking('country_code', (given) => given ?? 'GB'),
    ),
    plantIn(
      'synthesizers.list',
      'no code',
      each((row) => void delete row.code),
    ),
    plantIn(
      'assistants.list',
      'numbers as text and truth as 0 and 1',
      each((row) => Object.assign(row, { record: row.record ? 1 : 0, llm_temperature: String(row.llm_temperature) })),
      { tolerated: true },
    ),
    plantIn(
      'keys.list',
      'a last_used_at without microseconds',
      each((row) => Object.assign(row, { last_used_at: row.last_used_at && shortTime(row.last_used_at) })),
    ),
    plantIn(
      'user.me',
      'another text without a key',
      refusing(() => ({ error: 'Unauthorized' })),
    ),
    plantIn(
      'automate.runs',
      'an unknown status',
      each((row) => Object.assign(row, { status: 'OK' })),
    ),
  ],
}

const template = {
  tool: {
    name: 'conformance',
    description: 'Returns a value.',
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
