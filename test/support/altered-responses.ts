import type { RunOptions } from './operator.ts'

type Through = NonNullable<RunOptions['through']>

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
