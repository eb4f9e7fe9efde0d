import { each, plantIn, record, shortTime } from './drift.ts'
import { answering, asking, type Body, headed, ignoring, type Planted, refusing, status } from './drifting-platform.ts'

/** Drifts of shapes, statuses, pages and order. */
export const inAnswers: Readonly<Record<string, readonly Planted[]>> = {
  'shapes and types': [
    plantIn(
      'keys.list',
      'a token in the list of keys',
      each((row) => Object.assign(row, { token: '1|abcdefghij' })),
    ),
    plantIn(
      'user.me',
      'a balance as text',
      answering((body) => ({ ...body, total_balance: String(body.total_balance) })),
      { tolerated: true },
    ),
    plantIn(
      'tools.list',
      'an envelope around a bare list',
      answering((body) => ({ data: body })),
    ),
    plantIn(
      'tools.get',
      'an envelope around a bare record',
      answering((body) => ({ data: body })),
    ),
    plantIn(
      'leads.create',
      'a created_at of another format',
      record((data) => Object.assign(data, { created_at: '2026-01-01T00:00:00Z' })),
    ),
    plantIn(
      'conversations.list',
      'no links',
      answering(({ links: _, ...body }) => body),
    ),
    plantIn(
      'conversations.send',
      'function_calls that are null',
      answering((body) => ({ ...body, function_calls: null })),
    ),
    plantIn(
      'messaging.senders',
      'a limit that is a word',
      each((row) => Object.assign(row, { messaging_limit: 'unlimited' })),
    ),
    plantIn(
      'messaging.templates',
      'variables that are null',
      each((row) => Object.assign(row, { variables: null })),
    ),
    plantIn(
      'numbers.search',
      'a price as text',
      each((row) => Object.assign(row, { price: String(row.price) })),
      { tolerated: true },
    ),
    plantIn(
      'numbers.buy',
      'no id',
      record((data) => void delete data.id),
    ),
    plantIn(
      'assistants.list',
      'a record without its mode',
      each((row) => void delete row.mode),
    ),
    plantIn(
      'assistants.enableConversationEndedWebhook',
      'an object for the reserved array',
      answering((body) => ({ ...body, data: {} })),
    ),
    plantIn(
      'automate.get',
      'an updated_at without milliseconds',
      record((data) => Object.assign(data, { updated_at: shortTime(data.updated_at) })),
    ),
    plantIn(
      'automate.list',
      'no binding',
      each((row) => void delete row.binding),
    ),
    plantIn(
      'automate.templates',
      'a default that is a number',
      each((row) => {
        for (const one of row.params) if (!one.required && one.default === undefined) one.default = 1
      }),
      { tolerated: true },
    ),
    plantIn(
      'models.list',
      'an id as text',
      each((row) => Object.assign(row, { id: String(row.id) })),
      { tolerated: true },
    ),
    plantIn(
      'sipTrunks.get',
      'a created_at without microseconds',
      record((data) => Object.assign(data, { created_at: shortTime(data.created_at) })),
    ),
    plantIn(
      'knowledge.create',
      'an unknown status',
      record((data) => Object.assign(data, { status: 'ready' })),
    ),
    plantIn(
      'replies.generate',
      'no success',
      answering(({ success: _, ...body }) => body),
    ),
    plantIn(
      'campaigns.get',
      'a list for the record',
      answering((body) => ({ data: [body.data] })),
    ),
    plantIn(
      'calls.get',
      'a secret among the fields',
      answering((body) => ({ ...body, api_token: 'abcdefghij' })),
    ),
    plantIn('voices.list', 'a content type of a page', headed({ 'content-type': 'text/html; charset=utf-8' })),
    plantIn('languages.list', 'no content type', headed({ 'content-type': '' })),
    plantIn('synthesizers.list', 'no capabilities', headed({ 'parley-capabilities': '' })),
  ],
  'statuses and refusals': [
    plantIn('tools.create', '200 for 201', status(200, 201), { tolerated: true }),
    plantIn('keys.create', '204 for 201', status(204, 201), { tolerated: true }),
    plantIn('automate.create', '200 for what is active', status(200, 201)),
    plantIn(
      'tools.update',
      'another message of a 422',
      refusing((body) => (body.errors ? { ...body, message: 'The given data was invalid.' } : body)),
    ),
    plantIn(
      'tools.delete',
      'another message of a 404',
      refusing((body) => ({ ...body, message: 'No such tool' })),
      { tolerated: true },
    ),
    plantIn(
      'conversations.send',
      'a 422 without errors',
      refusing(({ errors: _, ...body }) => body),
    ),
    plantIn(
      'messaging.templates',
      'another error code',
      refusing((body) => ({ ...body, error_code: 'NOT_FOUND' })),
    ),
    plantIn(
      'messaging.send',
      'no error code',
      refusing(({ error_code: _, ...body }) => body),
    ),
    plantIn(
      'numbers.buy',
      'another text of a number in use',
      refusing((body) => ({ ...body, ...(body.error && { error: 'Taken.' }) })),
    ),
    plantIn('assistants.disableConversationEndedWebhook', '400 for 404', status(400, 404)),
    plantIn(
      'automate.apply',
      'another code of an unknown template',
      refusing((body) => ({ ...body, ...(body.error && { error: 'unknown_template' }) })),
    ),
    plantIn(
      'automate.restore',
      'another code where there is no version before',
      refusing((body) => ({ ...body, ...(body.error === 'no_previous_version' && { error: 'nothing_to_restore' }) })),
    ),
    plantIn('user.me', 'an answer without a key', async (handle, request) => {
      const response = await handle(request)
      return response.status === 401
        ? { ...response, status: 200, body: '{"name":"x","email":"x@example.com","total_balance":1}' }
        : response
    }),
    plantIn('sipTrunks.list', '403 without a key', status(403, 401)),
    plantIn('leads.list', '400 for a size of 0', status(400, 422)),
    plantIn(
      'campaigns.create',
      'texts of errors that are no lists',
      refusing((body) => ({
        ...body,
        ...(body.errors && {
          errors: Object.fromEntries(
            Object.entries(body.errors).map(([name, texts]) => [name, (texts as string[])[0]]),
          ),
        }),
      })),
    ),
    plantIn(
      'knowledge.get',
      'message for error in a 404',
      refusing((body) => ({ message: body.error ?? body.message })),
    ),
    plantIn('calls.get', '200 for what nobody has', status(200, 404)),
    plantIn('folders.delete', '500 for what nobody has', status(500, 404)),
  ],
  'pages, filters and defaults': [
    plantIn(
      'leads.list',
      'an off-by-one page',
      asking('page', (page) => (page === null || Number(page) < 1 ? page : String(Number(page) + 1))),
    ),
    plantIn('conversations.list', 'a filter of dates that is ignored', ignoring('date_from', 'date_to')),
    plantIn('calls.list', 'a filter of types that is ignored', ignoring('type')),
    plantIn(
      'assistants.list',
      'another default size',
      asking('per_page', (size) => size ?? '15'),
    ),
    plantIn(
      'folders.list',
      'a stale total',
      answering((body) => ({ ...body, total: body.total + 3 })),
    ),
    plantIn(
      'labels.list',
      'a size that is cut instead of refused',
      asking('per_page', (size) => (size !== null && Number(size) > 100 ? '100' : size)),
    ),
    plantIn(
      'messaging.senders',
      'senders of every status unless asked otherwise',
      asking('status', (given) => given ?? 'all'),
    ),
    plantIn('messaging.templates', 'a filter of statuses that is ignored', ignoring('status')),
    plantIn('numbers.search', 'digits that are ignored', ignoring('contains')),
    plantIn(
      'models.list',
      'another default type',
      asking('type', (type) => type ?? 'multimodal'),
    ),
    plantIn('synthesizers.list', 'a language that is ignored', ignoring('language_id')),
    plantIn('voices.list', 'a language that is ignored', ignoring('language_id')),
    plantIn('automate.runs', 'a limit that is ignored', ignoring('limit')),
    plantIn(
      'keys.list',
      'an id twice',
      answering((body) => ({ api_keys: [...body.api_keys, body.api_keys[0]] })),
    ),
  ],
  'envelopes and order': [
    plantIn(
      'sms.send',
      'a cost as text',
      record((data) => Object.assign(data, { total_cost: String(data.total_cost) })),
      { tolerated: true },
    ),
    plantIn(
      'leads.list',
      'the oldest first',
      answering((body) => ({ ...body, data: [...body.data].reverse() })),
    ),
    plantIn(
      'conversations.list',
      'a next page that loses the size',
      answering((body) => ({ ...body, next_page_url: body.next_page_url?.replace(/per_page=\d+&?/, '') ?? null })),
    ),
    plantIn(
      'calls.list',
      'a last page that is one too many',
      answering((body) => ({ ...body, last_page: body.last_page + 1 })),
    ),
    plantIn(
      'assistants.list',
      'no link that is active',
      answering((body) => ({ ...body, links: body.links.map((one: Body) => ({ ...one, active: false })) })),
    ),
    plantIn(
      'folders.list',
      'the number of another page',
      answering((body) => ({ ...body, current_page: 1 })),
    ),
    plantIn(
      'labels.list',
      'the last page again beyond the end',
      asking('page', (page) => (page !== null && Number(page) > 1 ? '1' : page)),
    ),
    plantIn(
      'tools.list',
      'the newest first',
      answering((body) => [...body].reverse()),
    ),
    plantIn(
      'automate.runs',
      'the oldest first',
      answering((body) => (body.runs ? { runs: [...body.runs].reverse() } : body)),
    ),
    plantIn('numbers.search', 'a country that is ignored', ignoring('country_code')),
    plantIn('transcribers.list', 'rows that depend on nothing', ignoring('language_id')),
    plantIn(
      'messaging.senders',
      'a filter that takes any word',
      asking('status', (given) => (given === null || ['online', 'offline', 'all'].includes(given) ? given : 'online')),
    ),
  ],
}
