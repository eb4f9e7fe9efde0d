import { failures } from '../contract/errors/failures.ts'
import { crypto } from '../node/crypto.ts'
import { parseJson } from '../node/json.ts'
import type { InspectorBackend, InspectorRequest } from './backend.ts'
import { agreementOf, confirmationOf } from './confirmation.ts'
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
 * that does the same; 428 with a question if the page must ask its user first, and again if its price, target or effects
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
      return { status: 428, body: { confirm: { ...confirm, agreement } } }
  }
  const answer = await backend.send(request)
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
