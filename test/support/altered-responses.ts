import { capabilitiesHeader } from '../../src/contract/endpoint/capabilities.ts'
import { endpoints } from '../../src/contract/resources/index.ts'
import { routes } from '../../src/generated/routes.ts'
import { createRouter } from '../../src/platform/server/http/router.ts'
import type { Operator, RunOptions } from './operator.ts'

type Through = NonNullable<RunOptions['through']>

const findRoute = createRouter(routes)

/** Returns the name of the endpoint of a request that only a Parley server has: one with a capability. */
export function extensionOf(method: string, url: string): string | undefined {
  const match = findRoute(method, url.split('?')[0] ?? '')
  const name = 'resource' in match ? `${match.resource}.${match.verb}` : undefined
  return endpoints.find((it) => it.name === name && it.capability !== undefined)?.name
}

/** A platform that is not a Parley server: it lists no capabilities and has no endpoint that belongs to one. */
export const notParleyServer: Through = async (handle, request) => {
  if (extensionOf(request.method, request.url))
    return { status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"Not Found"}' }
  const { headers, ...response } = await handle(request)
  const { [capabilitiesHeader]: _, ...rest } = headers
  return { ...response, headers: rest }
}

/** A platform without a capability, and otherwise as `through` shows it. */
export const withoutCapability =
  (capability: string, through: Through = (handle, request) => handle(request)): Through =>
  (handle, request) =>
    through(async (sent) => {
      const { headers, ...response } = await handle(sent)
      const names = headers[capabilitiesHeader]?.replace(capability, '')
      return { ...response, headers: { ...headers, ...(names !== undefined && { [capabilitiesHeader]: names }) } }
    }, request)

/** Returns an operator whose platform has no requests for many leads, so that each row of a file is a request. */
export function rowByRow(by: Operator): Operator {
  const withoutBatches = (options: RunOptions = {}): RunOptions => ({
    ...options,
    through: withoutCapability('lead-batches', options.through),
  })
  return {
    ...by,
    run: (line, options) => by.run(line, withoutBatches(options)),
    json: (line, options) => by.json(line, withoutBatches(options)),
  }
}

/**
 * Alters the responses to reads, so that an account has data that the platform would reject in a write. Keys are paths
 * without a query.
 */
export const altered = (
  changes: Readonly<Record<string, (body: never, url: string) => unknown>>,
): { through: Through } => ({
  through: async (handle, request) => {
    const response = await handle(request)
    const change = request.method === 'GET' ? changes[request.url.split('?')[0] ?? ''] : undefined
    if (!change || response.status !== 200) return response
    const body = JSON.parse(String(response.body))
    return { ...response, body: JSON.stringify(change(body as never, request.url) ?? body) }
  },
})

/** Returns an error for some lists, such as 403 or 404. */
export const withheld = (status: number, ...paths: string[]): { through: Through } => ({
  through: async (handle, request) =>
    request.method === 'GET' && paths.some((it) => request.url.split('?')[0] === it)
      ? {
          status,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ message: status === 403 ? 'Forbidden.' : 'Not Implemented' }),
        }
      : handle(request),
})

// biome-ignore lint/suspicious/noExplicitAny: responses of a platform, changed by tests
export type Body = any

export const at = {
  assistants: '/api/user/assistants/get',
  tools: '/api/user/tools',
  numbers: '/api/user/phone-numbers/all',
  trunks: '/api/user/phone-numbers/sip-trunks',
  campaigns: '/api/user/campaigns',
  flows: '/api/user/automate/flows',
  senders: '/api/user/messaging/senders',
  leads: '/api/user/leads',
} as const

/** Returns a change that sets fields of one item of a list. */
export const item =
  (id: number, fields: Readonly<Record<string, unknown>>) =>
  (body: Body): void => {
    const items: Body[] = Array.isArray(body) ? body : body.data
    Object.assign(items.find((it) => it.id === id) ?? {}, fields)
  }
