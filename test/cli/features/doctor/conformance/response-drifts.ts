import { each, it, record, shortTime } from './drift.ts'
import { answering, asking, type Body, headed, ignoring, type Planted, refusing, status } from './drifting-platform.ts'

/** Drifts of shapes, statuses, pages and order. */
export const inAnswers: Readonly<Record<string, readonly Planted[]>> = {
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
        for (const one of row.params) if (!one.required && one.default === undefined) one.default = 1
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
      'an unknown status',
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
      return response.status === 401
        ? { ...response, status: 200, body: '{"name":"x","email":"x@example.com","total_balance":1}' }
        : response
    }),
    it('sipTrunks.list', '403 without a key', status(403, 401)),
    it('leads.list', '400 for a size of 0', status(400, 422)),
    it(
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
}
