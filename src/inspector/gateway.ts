import type { OperationOutcome } from '../client/journal/journal.ts'
import { failures } from '../contract/errors/failures.ts'
import { crypto } from '../node/crypto.ts'
import { parseJson } from '../node/json.ts'
import type { InspectorBackend, InspectorRequest } from './backend.ts'
import { agreementOf, type Confirmation, confirmationOf } from './confirmation.ts'
import { equivalentCommand } from './equivalent-command.ts'
import { shownValues } from './shown-values.ts'

/** A request of the page to the API. */
export interface ApiRequest {
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
const passedHeaders = ['content-type', 'idempotency-key', 'parley-details', 'parley-if-version']

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
  const account = Number(headers['parley-inspector-account'] ?? (await backend.session()).account)
  if (!Number.isSafeInteger(account) || account < 1)
    return refusal(400, 'The header Parley-Inspector-Account must be the id of an account.')
  const input = parseObject(body)
  if (input === undefined) return refusal(400, 'The request body must be a JSON object.')
  const request: InspectorRequest = {
    method,
    url,
    headers: {
      ...Object.fromEntries(passedHeaders.flatMap((it) => (headers[it] === undefined ? [] : [[it, headers[it]]]))),
      ...(endpoint.risk === 'spends' && { 'idempotency-key': headers['idempotency-key'] ?? crypto().randomUUID() }),
    },
    ...(body !== '' && { body }),
    account,
    endpoint,
    params,
  }
  const confirm = await confirmationOf(backend, request, input)
  if (confirm) {
    const agreement = agreementOf(confirm)
    const isConfirmed = decoded(headers['parley-inspector-confirm']) === confirm.expected
    if (!isConfirmed || headers['parley-inspector-agreement'] !== agreement)
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
 * Sends a purchase or a paid message, recorded in the operations journal of this machine as a command does. An entry
 * without a known outcome stops the same operation: 409.
 */
async function sendBillable(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Readonly<Record<string, unknown>>,
  priceUsd: number | undefined,
): ReturnType<InspectorBackend['send']> {
  const journal = await backend.journal?.()
  if (!journal) return backend.send(request)
  const { findBlocking } = await import('../client/journal/open-operations.ts')
  const { toOutcomeDetail } = await import('../client/journal/outcome-detail.ts')
  const { localPlatform } = await import('../client/transport/platform-address.ts')
  const { account, endpoint } = request
  // Commands have the key of the first account. They must not settle an operation of another one.
  const keyMark = account === (await backend.session()).account ? undefined : `account-${account}`
  const requestId = crypto().randomUUID()
  const intent = {
    endpoint: endpoint.name,
    input,
    idempotencyKey: request.headers['idempotency-key'] ?? '',
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
    const answer = await backend.send({ ...request, headers: { ...request.headers, 'x-request-id': requestId } })
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
