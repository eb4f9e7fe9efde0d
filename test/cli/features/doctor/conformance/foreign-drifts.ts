import { each, plantIn, record, rows } from './drift.ts'
import {
  answering,
  asking,
  type Body,
  headed,
  ignoring,
  type Planted,
  pretending,
  refusing,
  status,
  taking,
} from './drifting-platform.ts'

const template = (key: string, change: (row: Body) => void) =>
  answering((body: Body) => {
    change(body.data.find((row: Body) => row.key === key))
  })
const first = (change: (row: Body) => void) =>
  answering((body: Body) => {
    const [row] = rows(body)
    if (row) change(row)
  })

/** Drifts that reads show, without a write. */
export const visibleToReads: Readonly<Record<string, readonly Planted[]>> = {
  first: [
    plantIn(
      'automate.templates',
      'side_effects flipped',
      template('midcall-http-lookup', (row) => void (row.side_effects = true)),
    ),
    plantIn(
      'numbers.search',
      'a negative price',
      first((row) => void (row.price = -1)),
    ),
    plantIn(
      'messaging.senders',
      'all is ignored',
      asking('status', (given) => (given === 'all' ? 'online' : given)),
    ),
    plantIn(
      'messaging.templates',
      'all is ignored',
      asking('status', (given) => (given === 'all' ? 'approved' : given)),
    ),
    plantIn(
      'keys.list',
      'a token in the list',
      each((row) => void (row.token = '1|abcdefghijkl')),
    ),
    plantIn(
      'models.list',
      'a code for llm',
      each((row) => void (row.code = 'x')),
    ),
    plantIn(
      'leads.list',
      'numbers with spaces',
      each((row) => void (row.phone_number = row.phone_number.replace(/^(\+\d)/, '$1 '))),
    ),
    plantIn(
      'conversations.list',
      'pages of 10',
      asking('per_page', (given) => given ?? '10'),
    ),
    plantIn(
      'sipTrunks.list',
      'trunk ids in the list',
      each((row) => void (row.inbound_trunk_id = 'ST_1')),
    ),
    plantIn(
      'tools.get',
      'another text for an unknown id',
      refusing(() => ({ message: 'Not found' })),
      { tolerated: true },
    ),
    plantIn(
      'automate.get',
      'another text for an unknown id',
      refusing(() => ({ message: 'Flow not found' })),
    ),
    plantIn(
      'synthesizers.list',
      'language_id is ignored and ids are texts',
      each((row) => void (row.id = `p${row.id}`)),
    ),
    plantIn('user.me', '200 without a key', async (handle, request) => {
      const response = await handle(request)
      return response.status === 401 ? { ...response, status: 403 } : response
    }),
  ],
  second: [
    plantIn(
      'automate.templates',
      'a template is missing',
      answering((body) => ({ data: body.data.slice(1) })),
    ),
    plantIn(
      'numbers.search',
      'numbers in national format',
      each((row) => void (row.phone_number = row.phone_number.slice(1))),
    ),
    plantIn(
      'messaging.senders',
      'an unknown rating',
      first((row) => void (row.quality_rating = 'BLUE')),
    ),
    plantIn(
      'messaging.templates',
      'has_variables wrong',
      each((row) => void (row.has_variables = !row.has_variables)),
    ),
    plantIn(
      'keys.list',
      'times without microseconds',
      each((row) => void (row.created_at = row.created_at.replace(/\.\d+Z/, 'Z'))),
    ),
    plantIn(
      'models.list',
      'no code for multimodal',
      each((row) => void delete row.code),
    ),
    plantIn('leads.list', 'a status filter that is ignored', ignoring('status')),
    plantIn(
      'conversations.list',
      'a total one too high',
      answering((body) => ({ ...body, total: body.total + 1 })),
    ),
    plantIn(
      'sipTrunks.get',
      'the password',
      record((data) => void (data.sip_password = 'secret')),
    ),
    plantIn(
      'tools.list',
      'a timeout as text with a unit',
      each((row) => void (row.timeout = `${row.timeout}s`)),
    ),
    plantIn(
      'automate.runs',
      'oldest first',
      answering((body) => (body.runs ? { runs: [...body.runs].reverse() } : body)),
    ),
    plantIn('calls.list', 'text/html', headed({ 'content-type': 'text/html' })),
  ],
  third: [
    plantIn(
      'automate.templates',
      'a parameter is missing',
      template('lead-intake-webhook', (row) => void (row.params = [])),
    ),
    plantIn('numbers.search', 'contains is ignored', ignoring('contains')),
    plantIn(
      'messaging.senders',
      'offline is the default',
      asking('status', (given) => given ?? 'all'),
    ),
    plantIn(
      'messaging.templates',
      'another error code',
      refusing((body) => ({ ...body, error_code: 'NOT_FOUND' })),
    ),
    plantIn(
      'keys.list',
      'an id as text',
      each((row) => void (row.id = String(row.id))),
      { tolerated: true },
    ),
    plantIn(
      'models.list',
      'the default is multimodal',
      asking('type', (given) => given ?? 'multimodal'),
    ),
    plantIn(
      'leads.list',
      'per_page 101 accepted',
      asking('per_page', (given) => (Number(given) > 100 ? '100' : given)),
    ),
    plantIn(
      'conversations.list',
      'a negative cost',
      first((row) => void (row.total_cost = -0.5)),
    ),
    plantIn(
      'campaigns.list',
      'an unknown status',
      first((row) => void (row.status = 'running')),
    ),
    plantIn('tools.get', '404 as 200', status(200, 404)),
    plantIn(
      'automate.list',
      'the definition in the list',
      each((row) => void (row.definition = {})),
    ),
    plantIn(
      'assistants.list',
      'page 2 is page 1',
      asking('page', (given) => (Number(given) > 1 ? '1' : given)),
    ),
    plantIn(
      'numbers.list',
      'wrapped twice',
      answering((body) => ({ data: { data: body.data } })),
    ),
  ],
  fourth: [
    plantIn(
      'automate.templates',
      'a required parameter that is optional',
      template('lead-intake-webhook', (row) => void (row.params[0].required = false)),
    ),
    plantIn('numbers.search', 'GB is not supported', async (handle, request) =>
      request.url.includes('country_code=GB')
        ? {
            status: 422,
            headers: { 'content-type': 'application/json' },
            body: '{"message":"x","errors":{"country_code":["x"]}}',
          }
        : handle(request),
    ),
    plantIn('conversations.list', 'a date_from that is ignored', ignoring('date_from')),
    plantIn(
      'leads.list',
      'a next page on the last one',
      answering((body) => ({ ...body, next_page_url: body.next_page_url ?? `${body.path}?page=9` })),
    ),
    plantIn(
      'messaging.senders',
      'a number with spaces',
      first((row) => void (row.phone_number = row.phone_number.replace(/^(\+\d)/, '$1 '))),
    ),
    plantIn(
      'conversations.get',
      '404 with {message}',
      refusing(() => ({ message: 'Conversation not found' })),
    ),
  ],
}

/** Drifts that only writes show. */
export const visibleToWrites: Readonly<Record<string, readonly Planted[]>> = {
  first: [
    plantIn(
      'tools.update',
      'a name of 65 characters',
      taking((body) => {
        if (typeof body.name === 'string') body.name = body.name.slice(0, 64)
      }),
    ),
    plantIn('tools.create', 'no description of 255 characters', async (handle, request) =>
      JSON.parse(request.body ?? '{}').description?.length > 254
        ? {
            status: 422,
            headers: { 'content-type': 'application/json' },
            body: '{"message":"x","errors":{"description":["x"]}}',
          }
        : handle(request),
    ),
    plantIn('conversations.send', '1999 characters at most', async (handle, request) =>
      JSON.parse(request.body ?? '{}').message?.length > 1999 && JSON.parse(request.body ?? '{}').message.length < 2001
        ? {
            status: 422,
            headers: { 'content-type': 'application/json' },
            body: '{"message":"x","errors":{"message":["x"]}}',
          }
        : handle(request),
    ),
    plantIn(
      'sipTrunks.update',
      'the address re-creates both',
      record((data) => void (data.inbound_trunk_id = 'ST_other')),
      { shownBy: ['sipTrunks.get'] },
    ),
    plantIn(
      'leads.create',
      'duplicates are accepted',
      taking((body) => void (body.allow_dupplicate = true)),
    ),
    plantIn(
      'labels.delete',
      'what is deleted stays',
      pretending(() => ({ message: 'Label deleted successfully' })),
    ),
    plantIn('folders.create', '200 for 201', status(200, 201), { tolerated: true }),
    plantIn(
      'assistants.create',
      'a name of 256 characters',
      taking((body) => {
        if (typeof body.name === 'string') body.name = body.name.slice(0, 255)
      }),
    ),
    plantIn('automate.create', 'no confirmation of effects', async (handle, request) =>
      handle({ ...request, body: JSON.stringify({ ...JSON.parse(request.body ?? '{}'), confirm_side_effects: true }) }),
    ),
    plantIn(
      'automate.update',
      'the webhook_url',
      answering((body) => (body.automation_id ? { ...body, webhook_url: null } : body)),
    ),
    plantIn(
      'leads.update',
      'variables are replaced',
      taking((body) => {
        if (body.variables?.second) body.variables.first = 'lost'
      }),
    ),
    plantIn('messaging.send', 'six in a second', async (handle, request) => {
      const response = await handle(request)
      return response.status === 429
        ? {
            status: 404,
            headers: { 'content-type': 'application/json' },
            body: '{"success":false,"error":"Template not found or does not belong to this sender","error_code":"TEMPLATE_NOT_FOUND"}',
          }
        : response
    }),
    plantIn(
      'numbers.buy',
      'another text for a number that cannot be read',
      refusing((body) => ({ ...body, error: 'No.' })),
    ),
    plantIn(
      'campaigns.create',
      'the status active',
      record((data) => void (data.status = 'active')),
    ),
    plantIn(
      'keys.create',
      'an id',
      answering((body) => ({ ...body, api_key: { ...body.api_key, id: 7 } })),
    ),
  ],
  second: [
    plantIn('automate.get', 'a secret shown', async (handle, request) =>
      handle({ ...request, url: `${request.url.split('?')[0]}?include_secrets=true` }),
    ),
    plantIn(
      'tools.update',
      'headers are merged',
      taking((body) => {
        if (body.headers?.[0]?.name === 'b') body.headers.unshift({ name: 'a', value: 'a' })
      }),
    ),
    plantIn(
      'tools.create',
      'an endpoint of 2049 characters',
      taking((body) => {
        if (typeof body.endpoint === 'string') body.endpoint = body.endpoint.slice(0, 2048)
      }),
    ),
    plantIn(
      'conversations.send',
      '2001 characters',
      taking((body) => {
        if (typeof body.message === 'string') body.message = body.message.slice(0, 2000)
      }),
    ),
    plantIn('assistants.update', 'a ringing_time of 60 is refused', async (handle, request) =>
      JSON.parse(request.body ?? '{}').ringing_time === 60
        ? {
            status: 422,
            headers: { 'content-type': 'application/json' },
            body: '{"message":"x","errors":{"ringing_time":["x"]}}',
          }
        : handle(request),
    ),
    plantIn(
      'messaging.send',
      'four in a second',
      (() => {
        let seen: number[] = []
        return async (handle, request) => {
          const now = performance.now()
          seen = [...seen.filter((at) => now - at < 1000), now]
          return seen.length > 4
            ? {
                status: 429,
                headers: { 'content-type': 'application/json', 'retry-after': '1' },
                body: '{"message":"Too Many Attempts.","retry_after":1}',
              }
            : handle(request)
        }
      })(),
    ),
    plantIn('tools.delete', 'a closed connection', async () => {
      throw new Error('closed')
    }),
    plantIn(
      'assistants.enableConversationEndedWebhook',
      'data as an object',
      answering((body) => ({ ...body, data: {} })),
    ),
    plantIn(
      'automate.restore',
      'another error code',
      refusing((body) => ({ ...body, error: 'no_version' })),
    ),
    plantIn(
      'sipTrunks.create',
      'the password',
      record((data) => void (data.sip_password = 'x')),
    ),
    plantIn(
      'numbers.buy',
      'a number with spaces',
      record((data) => void (data.phone_number = data.phone_number.replace(/^(\+\d)/, '$1 '))),
    ),
    plantIn(
      'knowledge.update',
      'a change that is not made',
      taking((body) => void (body.description = 'Other')),
    ),
  ],
}
