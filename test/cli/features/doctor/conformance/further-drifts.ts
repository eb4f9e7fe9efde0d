import { each, plantIn, record, rows } from './drift.ts'
import {
  answering,
  asking,
  type Body,
  ignoring,
  type Planted,
  pretending,
  refusing,
  status,
  taking,
} from './drifting-platform.ts'

const refusesLength =
  (name: string, min: number, max: number): Planted['plant'] =>
  async (handle, request) => {
    const length = JSON.parse(request.body ?? '{}')[name]?.length
    return length >= min && length <= max
      ? {
          status: 422,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ message: 'x', errors: { [name]: ['x'] } }),
        }
      : handle(request)
  }
const first = (change: (row: Body) => void): Planted['plant'] =>
  answering((body) => {
    const [row] = rows(body)
    if (row) change(row)
  })

/** Further drifts of kinds that reads show. */
export const furtherReads: readonly Planted[] = [
  plantIn(
    'numbers.list',
    'a negative price',
    first((row) => void (row.price = -1.15)),
  ),
  plantIn(
    'calls.list',
    'a customer number without +',
    each((row) => void (row.client_phone_number = String(row.client_phone_number).slice(1))),
  ),
  plantIn(
    'tools.list',
    'a row without its method',
    first((row) => void delete row.method),
  ),
  plantIn(
    'folders.list',
    'an id that changes with each read',
    each((row) => void (row.id = Math.floor(Math.random() * 1e6) + 1000)),
  ),
  plantIn(
    'labels.list',
    'per_page 0 is accepted',
    asking('per_page', (given) => (given === '0' ? '15' : given)),
  ),
  plantIn(
    'campaigns.get',
    'another status than in the list',
    record((data) => void (data.status = data.status === 'draft' ? 'paused' : 'draft')),
  ),
  plantIn(
    'assistants.list',
    'a last page that is one short',
    answering((body) => ({ ...body, last_page: Math.max(0, body.last_page - 1) })),
  ),
  plantIn(
    'knowledge.list',
    'an update before the creation',
    first((row) => void (row.updated_at = '2020-01-01T00:00:00.000000Z')),
  ),
  plantIn(
    'automate.list',
    'a status that is unknown',
    first((row) => void (row.status = 'on')),
  ),
  plantIn('leads.list', 'rows of one campaign only if asked for another', ignoring('campaign_id')),
  plantIn(
    'conversations.list',
    'dates without a time',
    each((row) => void (row.created_at = row.created_at.slice(0, 10))),
  ),
  plantIn(
    'sipTrunks.get',
    'no outbound proxy',
    record((data) => void delete data.outbound_proxy),
  ),
  plantIn(
    'user.me',
    'a balance as an object',
    answering((body) => ({ ...body, total_balance: { amount: body.total_balance } })),
  ),
  plantIn(
    'messaging.senders',
    'Unlimited for a limit',
    each((row) => void (row.messaging_limit_formatted = row.messaging_limit === null ? '1000' : 'Unlimited')),
  ),
  plantIn(
    'automate.templates',
    'another binding',
    first((row) => void (row.binding = row.binding === null ? 'post_call' : null)),
  ),
]

/** Further drifts that only writes show. */
export const furtherWrites: readonly Planted[] = [
  plantIn('tools.update', 'no name of 64 characters', refusesLength('name', 64, 64)),
  plantIn(
    'labels.update',
    'resets the name',
    answering((body) => ({ ...body, data: { ...body.data, name: 'Reset' } })),
  ),
  plantIn(
    'folders.delete',
    'says so and does not',
    pretending(() => ({ message: 'Folder deleted successfully' })),
  ),
  plantIn(
    'knowledge.update',
    'resets a field that was not sent',
    taking((body) => {
      if (body.name === undefined) body.name = 'Reset'
    }),
  ),
  plantIn('keys.create', '201 without a body', async (handle, request) => {
    const response = await handle(request)
    return response.status < 300 ? { ...response, body: '' } : response
  }),
  plantIn('assistants.delete', '500 for an unknown id', status(500, 404)),
  plantIn(
    'leads.update',
    'errors as one text',
    refusing((body) => (body.errors ? { ...body, errors: 'invalid' } : body)),
  ),
  plantIn(
    'sipTrunks.update',
    'a masked user name',
    record((data) => void (data.sip_username = '***')),
  ),
  plantIn(
    'automate.update',
    'another id',
    answering((body) => (body.automation_id ? { ...body, automation_id: 'x'.repeat(21) } : body)),
  ),
  plantIn(
    'keys.delete',
    'says so and does not',
    pretending(() => ({ message: 'API key deleted successfully' })),
  ),
  plantIn(
    'numbers.update',
    'a nickname that is cut',
    record((data) => void (data.nickname = data.nickname?.slice(0, 5) ?? null)),
  ),
  plantIn(
    'assistants.disablePostCallWebhook',
    'does not disable',
    pretending(() => ({ message: 'Post-call webhook disabled successfully', data: [] })),
  ),
]
