import type { PlainRequest, PlainResponse } from '../../../../../src/contract/endpoint/http-message.ts'
import { endpoints } from '../../../../../src/contract/resources/index.ts'
import { routes } from '../../../../../src/generated/routes.ts'
import { createRouter } from '../../../../../src/platform/server/http/router.ts'
import type { RunOptions } from '../../../../support/operator.ts'

type Handle = (request: PlainRequest) => Promise<PlainResponse>
// biome-ignore lint/suspicious/noExplicitAny: the answers of a platform, to be spoilt
export type Body = any

/** What a platform does with the requests of one endpoint instead of what it should. */
export type Plant = (
  handle: Handle,
  request: PlainRequest,
  params: Readonly<Record<string, string>>,
) => Promise<PlainResponse>

/** A drift, where it is, and what the kit has to say of it. */
export interface Planted {
  readonly name: string
  readonly endpoint: string
  readonly plant: Plant
  /** The rows that may show it; the endpoint's own unless another shows what a write did not do. */
  readonly shownBy?: readonly string[]
  /** Understood all the same: fails with --strict alone. */
  readonly tolerated?: true
}

const find = createRouter(routes)

/** A platform with drifts planted in it. */
export function withPlanted(planted: readonly Planted[]): { readonly through: NonNullable<RunOptions['through']> } {
  return {
    async through(handle, request) {
      const match = find(request.method, request.url.split('?')[0] ?? '')
      const endpoint =
        'resource' in match ? planted.find(({ endpoint }) => endpoint === `${match.resource}.${match.verb}`) : undefined
      return endpoint && 'params' in match ? endpoint.plant(handle, request, match.params) : handle(request)
    },
  }
}

const changed =
  (isChanged: (response: PlainResponse) => boolean) =>
  (change: (body: Body, request: PlainRequest) => Body): Plant =>
  async (handle, request) => {
    const response = await handle(request)
    if (!isChanged(response) || response.body === '') return response
    const body = JSON.parse(response.body) as Body
    const { 'content-length': _, ...headers } = response.headers
    return { ...response, headers, body: JSON.stringify(change(body, request) ?? body) }
  }

/** Answers successes with another body; what returns nothing has changed the body it was given. */
export const answering = changed(({ status }) => status < 300)
/** The same of refusals. */
export const refusing = changed(({ status }) => status >= 400)
/** Another status of successes. */
export const status =
  (code: number, from = 200): Plant =>
  async (handle, request) => {
    const response = await handle(request)
    return response.status === from ? { ...response, status: code } : response
  }
/** Leaves a parameter of the query out, as if it were not known. */
export const ignoring =
  (...names: readonly string[]): Plant =>
  (handle, request) => {
    const [path = '', search = ''] = request.url.split('?')
    const query = new URLSearchParams(search)
    for (const name of names) query.delete(name)
    return handle({ ...request, url: query.size > 0 ? `${path}?${query}` : path })
  }
/** Changes a parameter of the query, also where it was left out. */
export const asking =
  (name: string, change: (given: string | null) => string | null): Plant =>
  (handle, request) => {
    const [path = '', search = ''] = request.url.split('?')
    const query = new URLSearchParams(search)
    const value = change(query.get(name))
    if (value === null) query.delete(name)
    else query.set(name, value)
    return handle({ ...request, url: `${path}?${query}` })
  }
/** Says that it was done, and does nothing. `answer` is made from the request. */
export const pretending =
  (answer: (body: Body, params: Readonly<Record<string, string>>) => Body, code = 200): Plant =>
  async (handle, request, params) => {
    const asked = await handle({ method: 'HEAD', url: '/api/user/me', headers: request.headers })
    const { 'content-length': _, 'parley-assumed': __, ...headers } = asked.headers
    const match = find(request.method, request.url.split('?')[0] ?? '')
    const name = 'resource' in match ? `${match.resource}.${match.verb}` : ''
    const isAssumed = endpoints.find((it) => it.name === name)?.assumed !== undefined
    const body = JSON.parse(request.body ?? '{}')
    // What is refused is refused as ever.
    if (Object.values(params).some((it) => it.startsWith('2147483') || it.startsWith('00000000')))
      return handle(request)
    return {
      status: code,
      headers: { ...headers, ...(isAssumed && { 'parley-assumed': name }) },
      body: JSON.stringify(answer(body, params)),
    }
  }
/** Answers with other headers. */
export const headed =
  (change: Readonly<Record<string, string>>): Plant =>
  async (handle, request) => {
    const response = await handle(request)
    return { ...response, headers: { ...response.headers, ...change } }
  }
/** Takes what should be refused: the body is changed before the platform sees it. */
export const taking =
  (change: (body: Body) => void): Plant =>
  (handle, request) => {
    const body = JSON.parse(request.body ?? '{}')
    change(body)
    return handle({ ...request, body: JSON.stringify(body) })
  }
