import type { RunOptions } from './operator.ts'

type Through = NonNullable<RunOptions['through']>

/** A platform whose answers to reads are others: what is in an account that its own writes would refuse. Keys are paths without a query. */
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

/** A platform that refuses to show some lists, or has none of them. */
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

// biome-ignore lint/suspicious/noExplicitAny: the answers of a platform, to be spoilt
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

/** Fields of one item of a list. */
export const item =
  (id: number, fields: Readonly<Record<string, unknown>>) =>
  (body: Body): void => {
    const items: Body[] = Array.isArray(body) ? body : body.data
    Object.assign(items.find((it) => it.id === id) ?? {}, fields)
  }
