// Requests of the inspector page to the platform: what each needs as a confirmation, as in the terminal, and the command that
// does the same.

import { campaignPrice, maxCallPrice, templatePrice } from '../cli/program/operations/campaign-price.ts'
import { findBlocking, type OperationOutcome } from '../client/journal/open-operations.ts'
import { toOutcomeDetail } from '../client/journal/outcome-detail.ts'
import { localPlatform } from '../client/transport/platform-address.ts'
import { type EndpointName, endpointScopes } from '../contract/access/endpoint-scopes.ts'
import { detailsHeader, ifVersionHeader } from '../contract/automations/automation-headers.ts'
import { idempotencyKeyHeader, requestIdHeader } from '../contract/endpoint/headers.ts'
import { failures } from '../contract/errors/failures.ts'
import type { BillingSummary } from '../contract/resources/billing.ts'
import { campaigns } from '../contract/resources/campaigns.ts'
import { leads } from '../contract/resources/leads.ts'
import { inspectorHeaders } from '../contract/values/inspector-headers.ts'
import { amountText, usd } from '../contract/values/money.ts'
import { crypto } from '../node/crypto.ts'
import { parseJson, stringifyJson } from '../node/json.ts'
import type { InspectorBackend, InspectorRequest } from './backend.ts'
import { equivalentCommand } from './equivalent-command.ts'
import { readingClient } from './platform-client.ts'
import { shownValues } from './shown-values.ts'

type Input = Readonly<Record<string, unknown>>

/** The price of a request, and the balance that pays for it; nothing for what an account without prices has. */
interface PriceDetails {
  readonly price: readonly string[]
  readonly notes: readonly string[]
  /** The price in USD, if it is known exactly before the operation. */
  readonly priceUsd?: number | undefined
}

/** Returns the price of what a request buys or sends, and the balance that pays for it. */
async function priceDetails(backend: InspectorBackend, request: InspectorRequest, input: Input): Promise<PriceDetails> {
  const read = async (url: string): Promise<unknown> => {
    const found = await backend.find('GET', url.split('?')[0] as string)
    if (!found) return undefined
    const answer = await backend
      .send({ ...request, ...found, method: 'GET', url, headers: {}, body: undefined })
      .catch(() => undefined)
    return answer?.status === 200 ? answer.body : undefined
  }
  if (request.endpoint.name === 'numbers.buy') {
    const price = await numberPrice(read, String(input.phone_number))
    const text = price === undefined ? 'unknown' : usd(price)
    return { price: [`Price: ${text}/month until you release it, paid by payment method`], notes: [], priceUsd: price }
  }
  const summary = ((await read('/api/user/billing/summary')) as { data?: BillingSummary } | undefined)?.data
  if (!summary?.prices) return { price: ['Price: unknown'], notes: [] }
  const price =
    (await priceOfThis(backend, request, input, summary.prices)) ?? priceText(request.endpoint.name, summary.prices)
  return {
    price: [`Price: ${price ?? 'unknown'}`],
    notes: summary.balance === null ? [] : [`Balance: ${amountText(summary.balance, summary.unit)}`],
  }
}

/** Returns the price of exactly this request, if it depends on its input; undefined if it is not known. */
async function priceOfThis(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Input,
  prices: NonNullable<BillingSummary['prices']>,
): Promise<string | undefined> {
  const { name } = request.endpoint
  if (!['campaigns.updateStatus', 'calls.start', 'messaging.send'].includes(name)) return undefined
  const context = {
    call: readingClient(backend, request),
    system: { signal: new AbortController().signal },
  }
  const known = async (price: Promise<number | undefined>): Promise<number | undefined> => {
    const found = await price.catch(() => undefined)
    return Number.isFinite(found) ? found : undefined
  }
  if (name === 'messaging.send') {
    const price = await known(templatePrice(context, input.sender_id, input.template_id, prices))
    return price === undefined ? undefined : usd(price)
  }
  if (name === 'calls.start') {
    const price = await known(maxCallPrice(context, input.assistant_id, prices))
    return price === undefined ? undefined : `at most ${usd(price)}, ${usd(prices.call_minute)} for each started minute`
  }
  const price = await known(campaignPrice(context, Number(input.campaign_id), prices))
  return price === undefined
    ? undefined
    : `at most ${usd(price)}, with every attempt, calls of the maximum duration, and the fallback`
}

function priceText(endpoint: string, prices: NonNullable<BillingSummary['prices']>): string | undefined {
  const { freeform, ...categories } = prices.messages
  const templates = Object.entries(categories).map(([category, price]) => `${category} ${usd(price)}`)
  const texts: Readonly<Record<string, string | undefined>> = {
    'calls.start': `${usd(prices.call_minute)} for each started minute`,
    'conversations.send': `${usd(prices.chat_message)} for the reply`,
    'replies.generate': `${usd(prices.chat_message)} for the reply`,
    'sms.send': `${usd(prices.sms_segment)} for each segment`,
    'messaging.send': `by category of the template: ${templates.join(', ')}`,
    'messaging.sendFreeform': freeform === undefined ? undefined : usd(freeform),
  }
  return texts[endpoint]
}

/** Returns the price of a number for sale per month in USD; undefined if it is not found. */
async function numberPrice(read: (url: string) => Promise<unknown>, number: string): Promise<number | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const country = parsePhoneNumberFromString(number)?.country
  if (country === undefined) return undefined
  const query = new URLSearchParams({ country_code: country, contains: number.slice(-10) })
  const answer = (await read(`/api/user/phone-numbers/search?${query}`)) as
    | { data?: readonly { phone_number: string; price: unknown }[] }
    | undefined
  const price = answer?.data?.find((it) => it.phone_number === number)?.price
  return typeof price === 'number' ? price : undefined
}

/** Returns what is asked before a campaign is started or stopped; undefined if there is no such campaign. */
async function campaignConfirmation(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Readonly<Record<string, unknown>>,
): Promise<Confirmation | undefined> {
  const call = readingClient(backend, request)
  const id = Number(input.campaign_id)
  const campaign = await call(campaigns.get, { id }).catch(() => undefined)
  if (!campaign) return undefined
  const { name, channel } = campaign.data
  if (input.action === 'stop')
    return {
      question: `Stop campaign "${name}"?`,
      details: ['No further leads are contacted until you start it again.'],
      expected: 'yes',
    }
  const { price, notes } = await priceDetails(backend, request, input)
  const { total } = await call(leads.list, { campaign_id: id, status: 'created', per_page: 1 })
  return {
    question: `Start campaign "${name}"?`,
    details: [
      `${channel === 'call' ? 'Calls' : 'Messages'} ${total} new ${total === 1 ? 'lead' : 'leads'}.`,
      ...price,
      'This is charged to the account.',
    ],
    notes,
    expected: 'yes',
  }
}

/** What a person must agree to before a call. The page has a copy of what it shows (page/data/api.ts). */
interface Confirmation {
  readonly question: string
  /** What the call does, to what, and at which price, a sentence each. */
  readonly details: readonly string[]
  /** Facts for the decision that may change until the call: the balance. */
  readonly notes?: readonly string[]
  /** `yes`, or the name that the user must type. */
  readonly expected: string
  /** The price in USD, if it is known exactly before the operation. */
  readonly priceUsd?: number | undefined
}

/** What calls of each risk do, for people. */
const effects: Readonly<Record<string, string>> = {
  destructive: 'This cannot be undone.',
  severe: 'This affects resources in use.',
  outside: 'Steps run with real effects: they send messages and call other systems.',
  spends: 'This is charged to the account.',
}

/**
 * Returns what must be asked before a call, as the terminal asks; undefined if nothing must. A call that affects
 * resources in use is confirmed with the name of its resource.
 */
async function confirmationOf(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Readonly<Record<string, unknown>>,
): Promise<Confirmation | undefined> {
  const { endpoint, params } = request
  const effect = effects[endpoint.risk]
  if (effect === undefined) return undefined
  const own =
    endpoint.name === 'campaigns.updateStatus' ? await campaignConfirmation(backend, request, input) : undefined
  if (own) return own
  const name = await nameOf(backend, request)
  const fields = Object.entries({ ...params, ...input })
    .filter(([, value]) => typeof value !== 'object')
    .map(([field, value]) => `${labelOf(field)}: ${String(value).slice(0, 200)}`)
  const { price, notes, priceUsd } =
    endpoint.risk === 'spends'
      ? await priceDetails(backend, request, input)
      : { price: [], notes: [], priceUsd: undefined }
  return {
    question: `${endpoint.summary}?`,
    details: [...(name === undefined ? [] : [`Name: ${name}`]), ...fields, ...price, effect],
    notes,
    expected: endpoint.risk === 'severe' && name !== undefined ? name : 'yes',
    priceUsd,
  }
}

/**
 * Returns what identifies that which a person agreed to: it differs when the price, the target or an effect does. The page sends it
 * back with the confirmed request; `notes` are not part of it, so that a changed balance does not ask again.
 */
const agreementOf = ({ question, details, expected }: Confirmation): string =>
  crypto()
    .createHash('sha256')
    .update(stringifyJson([question, details, expected]))
    .digest('hex')
    .slice(0, 32)

/** Returns a field as people read it: `phone_number` becomes `Phone number`. */
function labelOf(field: string): string {
  const words = field.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/**
 * Returns the name of the resource that a request is about, if there is a list or a resource that has it. For a severe call it is
 * the word to type: without it, `yes` confirms.
 */
async function nameOf(backend: InspectorBackend, request: InspectorRequest): Promise<string | undefined> {
  const id = Object.values(request.params)[0]
  if (id === undefined) return undefined
  const [path = ''] = request.url.split('?')
  const base = path.slice(0, path.indexOf(`/${encodeURIComponent(id)}`))
  const sources = [`${base}/${encodeURIComponent(id)}`, base, ...(listPaths[base] ? [listPaths[base]] : [])]
  for (const url of sources) {
    const found = await backend.find('GET', url)
    if (!found) continue
    const { status, body } = await backend.send({
      ...request,
      ...found,
      method: 'GET',
      url,
      headers: {},
      body: undefined,
    })
    if (status !== 200) continue
    const items = Object.values(body as object).find(Array.isArray) ?? (Array.isArray(body) ? body : [body])
    for (const item of items as { id?: unknown; name?: unknown; data?: { name?: unknown } }[]) {
      const name = String(item.id) === id || items.length === 1 ? (item.name ?? item.data?.name) : undefined
      if (typeof name === 'string' && name !== '') return name
    }
  }
  return undefined
}

/** Lists of resources whose own path has no list. */
const listPaths: Readonly<Record<string, string>> = {
  '/api/user/assistant': '/api/user/assistants/get',
  '/api/user/phone-numbers': '/api/user/phone-numbers/all',
}

/** A request of the page to the API. */
interface ApiRequest {
  readonly method: string
  /** Path and query of the API. */
  readonly url: string
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Endpoints whose responses are new keys, which must not reach a page. */
const keyEndpoints: Readonly<Record<string, string>> = {
  'keys.create': 'parley keys create',
  'accounts.key': 'parley server accounts key',
  'inspector.login': 'parley ui',
}

/** Headers that the page may pass to the API. */
const passedHeaders = ['content-type', idempotencyKeyHeader, detailsHeader, ifVersionHeader]

const refusal = (status: number, message: string) => ({ status, body: { body: { message }, shown: {}, command: null } })

/**
 * Calls the API for the page. Returns the response, the values of it that are shown in another form, and the CLI command
 * that does the same; 202 with a question if the page must ask its user first, and again if its price, target or effects
 * changed while the user decided.
 */
export async function callApi(
  backend: InspectorBackend,
  { method, url, headers, body }: ApiRequest,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const found = await backend.find(method, path)
  if (!found) return refusal(404, `There is no endpoint ${method} ${path}.`)
  const { endpoint, params } = found
  const instead = keyEndpoints[endpoint.name]
  if (instead !== undefined) return refusal(403, `The inspector does not show API keys. Run: ${instead}`)
  const account = Number(headers[inspectorHeaders.account] ?? (await backend.session()).account)
  if (!Number.isSafeInteger(account) || account < 1)
    return refusal(400, 'The header Parley-Inspector-Account must be the id of an account.')
  const input = parseObject(body)
  if (input === undefined) return refusal(400, 'The request body must be a JSON object.')
  const needsApproveKey = endpointScopes[endpoint.name as EndpointName] === 'approve'
  const approveKey = headers[inspectorHeaders.key] ?? ''
  if (needsApproveKey && approveKey === '')
    return refusal(403, 'Deciding needs an API key with the scope approve. A sign-in to the inspector decides nothing.')
  const request: InspectorRequest = {
    method,
    url,
    headers: {
      ...Object.fromEntries(passedHeaders.flatMap((it) => (headers[it] === undefined ? [] : [[it, headers[it]]]))),
      ...(needsApproveKey && { authorization: `Bearer ${approveKey}` }),
      ...(endpoint.risk === 'spends' && {
        [idempotencyKeyHeader]: headers[idempotencyKeyHeader] ?? crypto().randomUUID(),
      }),
    },
    ...(body !== '' && { body }),
    account,
    endpoint,
    params,
  }
  const confirm = await confirmationOf(backend, request, input)
  if (confirm) {
    const agreement = agreementOf(confirm)
    const isConfirmed = decoded(headers[inspectorHeaders.confirm]) === confirm.expected
    if (!isConfirmed || headers[inspectorHeaders.agreement] !== agreement)
      return { status: 202, body: { confirm: { ...shownConfirmation(confirm), agreement } } }
  }
  const answer =
    endpoint.risk === 'spends'
      ? await sendBillable(backend, request, { ...params, ...input }, confirm?.priceUsd)
      : await backend.send(request)
  const content = endpoint.auth === 'control' ? withoutKeys(answer.body) : answer.body
  return {
    status: answer.status,
    body: {
      body: content,
      // The page repeats such a request with the same idempotency key.
      ...(isOpenOutcome(answer) && { is_open: true }),
      shown: answer.status < 300 ? shownValues(endpoint.output, content) : {},
      command: equivalentCommand(endpoint, params, new URLSearchParams(query), input),
    },
  }
}

/** Returns what the page shows of a confirmation. */
const shownConfirmation = ({ priceUsd: _, ...confirm }: Confirmation) => confirm

/**
 * Sends a purchase or a paid message, recorded in the operations journal of this machine as a command does: before it is sent, so
 * that a lost response leaves an open entry for `parley ops`. An entry without a known outcome stops the same operation: 409.
 */
async function sendBillable(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Readonly<Record<string, unknown>>,
  priceUsd: number | undefined,
): ReturnType<InspectorBackend['send']> {
  const journal = await backend.journal?.()
  if (!journal) return backend.send(request)
  const { account, endpoint } = request
  // Commands have the key of the first account. They must not settle an operation of another one.
  const keyMark = account === (await backend.session()).account ? undefined : `account-${account}`
  const requestId = crypto().randomUUID()
  const intent = {
    endpoint: endpoint.name,
    input,
    idempotencyKey: request.headers[idempotencyKeyHeader] ?? '',
    profile: 'local',
    baseUrl: localPlatform,
    ...(keyMark !== undefined && { keyMark }),
    ...(endpoint.name === 'numbers.buy' && { selection: null }),
    ...(priceUsd !== undefined && { priceUsd }),
  }
  let entry: string
  try {
    // A request that is repeated because its outcome is unknown has the same key, and is the same operation.
    const repeated = journal
      .list({ open: true, keys: new Set([intent.idempotencyKey]) })
      .find((it) => it.endpoint === intent.endpoint && it.keyMark === keyMark)
    entry = repeated?.id ?? journal.recordIntent(intent, () => findBlocking(journal, intent, undefined, true))
  } catch (error) {
    const { message, hint } = error as Error & { readonly hint?: string }
    return { status: 409, body: { message: [message, hint].filter(Boolean).join(' ') } }
  }
  const record = (outcome: OperationOutcome, detail: object): void => {
    try {
      journal.recordOutcome(entry, outcome, detail)
    } catch {
      // The operation was sent. Its entry stays open, and "parley ops reconcile" settles it.
    }
  }
  try {
    const answer = await backend.send({ ...request, headers: { ...request.headers, [requestIdHeader]: requestId } })
    const { status, body } = answer
    if (status < 300) record('done', toOutcomeDetail({ status, requestId, output: body }))
    else
      record(isOpenOutcome(answer) ? 'unknown' : 'refused', {
        status,
        requestId,
        message: (body as { message?: unknown } | null)?.message,
      })
    return answer
  } catch (error) {
    record('unknown', { requestId, message: (error as Error).message })
    throw error
  }
}

/** Whether a request may have been carried out although its response is an error. */
const isOpenOutcome = ({ status, body }: { readonly status: number; readonly body: unknown }): boolean =>
  status >= 500 ||
  status === 408 ||
  (status === 409 && (body as { message?: unknown } | null)?.message === failures.idempotency_busy.text)

/** Returns the fields of a body; undefined if it is not a JSON object. */
function parseObject(body: string): Record<string, unknown> | undefined {
  if (body === '') return {}
  try {
    const value = parseJson(body) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function decoded(header: string | undefined): string | undefined {
  try {
    return header === undefined ? undefined : decodeURIComponent(header)
  } catch {
    return header
  }
}

/** Returns a response of the control API without the keys that some have. */
const withoutKeys = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && ('token' in body || 'secret' in body)
    ? { ...body, ...('token' in body && { token: null }), ...('secret' in body && { secret: null }) }
    : body
