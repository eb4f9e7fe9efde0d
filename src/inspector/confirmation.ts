import { crypto } from '../node/crypto.ts'
import { stringifyJson } from '../node/json.ts'
import type { InspectorBackend, InspectorRequest } from './backend.ts'
import { campaignConfirmation } from './campaign-confirmation.ts'
import { priceDetails } from './known-price.ts'

/** What a person must agree to before a call. */
export interface Confirmation {
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
export async function confirmationOf(
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

/** Returns what identifies that which a person agreed to: it differs when the price, the target or an effect does. */
export const agreementOf = ({ question, details, expected }: Confirmation): string =>
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

/** Returns the name of the resource that a request is about, if there is a list or a resource that has it. */
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
    for (const it of items as { id?: unknown; name?: unknown; data?: { name?: unknown } }[]) {
      const name = String(it.id) === id || items.length === 1 ? (it.name ?? it.data?.name) : undefined
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
