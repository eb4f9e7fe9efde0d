import type { EndpointName } from '../../../contract/access/endpoint-scopes.ts'
import type { PlainRequest, PlainResponse } from '../../../contract/endpoint/http-message.ts'
import { Failure, type FailureName, failures, toEnvelope } from '../../../contract/errors/failures.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { sleep } from '../../../node/real-time.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type FaultRecord, faultService } from '../../services/runtime/fault-service.ts'

type Json = unknown
type Fields = Record<string, Json>

/** Returns the replacement of a value; undefined removes the field. */
type Change = (value: Json, parent: Fields, key: string) => Json

const isFields = (it: Json): it is Fields => typeof it === 'object' && it !== null

/**
 * The operations of `drift` by their words. Stored rules and scripts of users have them, and the contract checks them:
 * they never change.
 */
const changes: Readonly<Record<string, (name: string) => Change>> = {
  remove: () => () => undefined,
  rename: (name) => (value, parent) => {
    parent[name] = value
    return undefined
  },
  add: (name) => (value) => (isFields(value) ? { ...value, [name]: 'unexpected' } : value),
  null: () => () => null,
  text: () => (value) => (typeof value === 'string' ? value : isFields(value) ? stringifyJson(value) : String(value)),
  number: () => (value) => (Number.isFinite(Number(value)) ? Number(value) : 0),
  flag: () => (value) => (value ? 1 : 0),
  list: () => (value) => [value],
  wrap: (name) => (value) => ({ [name]: value }),
  unwrap: () => (value) => (isFields(value) ? (Object.values(value)[0] ?? null) : value),
}

/**
 * Returns a response with changes applied, each a line such as `remove data.*.price`. A path that does not exist
 * changes nothing.
 */
export function applyDrift(
  answer: { readonly status: number; readonly body: string },
  lines: readonly string[],
): { status: number; body: string } {
  let { status } = answer
  const root: Fields = { whole: parseJson(answer.body) as Json }
  for (const line of lines) {
    const [operation = '', path = '', name = ''] = line.split(' ')
    if (operation === 'status') status = Number(path)
    else
      visit(
        root,
        ['whole', ...(path === '.' ? [] : path.split('.'))],
        (changes[operation] as (name: string) => Change)(name),
      )
  }
  return { status, body: stringifyJson(root.whole ?? null) }
}

function visit(parent: Fields, [key = '', ...rest]: readonly string[], change: Change): void {
  if (key === '*') {
    for (const each of Object.keys(parent)) visit(parent, [each, ...rest], change)
    return
  }
  if (!Object.hasOwn(parent, key)) return
  const value = parent[key]
  if (rest.length > 0) {
    if (isFields(value)) visit(value, rest, change)
    return
  }
  const changed = change(value, parent, key)
  if (changed === undefined) delete parent[key]
  else parent[key] = changed
}

type Answer = Pick<PlainResponse, 'status' | 'body' | 'cut'>

/** A request to which fault rules may apply. */
interface FaultContext {
  readonly deps: Deps
  readonly endpoint: string
  readonly account: number
  readonly request: PlainRequest
  readonly params: Readonly<Record<string, string>>
  readonly search: string | undefined
  /** Response headers, to be added to. */
  readonly headers: Record<string, string>
}

// Only their names, because every request of a command loads this file.
const manyLeads: EndpointName = 'leads.createBatch'
const oneLead: EndpointName = 'leads.create'

/** Applies the fault rule that triggers for a request. Without one, returns the response of `run`. */
export async function withFaults(
  { deps, endpoint, account, request, params, search, headers }: FaultContext,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const service = faultService(deps)
  // Rules for one lead apply to imports too: without batches, each lead is a request.
  if (endpoint === manyLeads && (await service.hasRule({ endpoint: oneLead, account }))) throw new Failure('no_route')
  const fault = await service.trigger({
    endpoint,
    account,
    fields: { ...params, ...Object.fromEntries(new URLSearchParams(search)), ...bodyOf(request) },
  })
  if (!fault) return run()
  headers['parley-fault'] = String(fault.id)
  if (fault.latency_ms > 0) await sleep(fault.latency_ms)
  if (fault.error !== undefined) throw failureOf(fault, fault.error as FailureName)
  if (fault.socket === 'cut') return { status: 0, body: '', cut: 'answer' }
  if (fault.status !== undefined)
    return distortResponse(
      fault,
      { status: fault.status, body: stringifyJson({ message: 'Simulated fault.' }) },
      headers,
    )
  const answer = await run().catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    Object.assign(headers, error.headers)
    return { status: failures[error.kind].status, body: stringifyJson(toEnvelope(error)) }
  })
  return distortResponse(fault, answer, headers)
}

function distortResponse({ socket, drift }: FaultRecord, answer: Answer, headers: Record<string, string>): Answer {
  if (socket === 'drop') return { ...answer, cut: 'answer' }
  if (socket === 'truncate') return { ...answer, cut: 'body' }
  if (socket === 'garbage') return { ...answer, body: '\u0000{"data": [}, ~' }
  if (socket === 'html') {
    headers['content-type'] = 'text/html; charset=utf-8'
    return {
      ...answer,
      body: `<!doctype html><html><head><title>${answer.status}</title></head><body><h1>Simulated fault</h1></body></html>`,
    }
  }
  return drift.length > 0 ? applyDrift(answer, drift) : answer
}

function failureOf({ text, code }: FaultRecord, kind: FailureName): Failure {
  const words = text ?? failures[kind].text.replaceAll(/\{\w+\}/g, 'fault')
  return new Failure(kind, {
    text: words,
    ...(failures[kind].envelope === 'validation' && { errors: { fault: [words] } }),
    ...(kind === 'throttled' && { extra: { retry_after: 1 }, headers: { 'retry-after': '1' } }),
    ...(code !== undefined && { providerCode: code }),
  })
}

/** Returns the body if it is a JSON object. It has not been validated yet. */
function bodyOf({ body }: PlainRequest): object {
  try {
    const value: unknown = parseJson(body ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
