// The API without a socket: finds the endpoint, authenticates, reads the input, calls the handler, and turns errors into
// responses. Identical reads are answered from a cache until any process writes.

import { detailsFull, detailsHeader } from '../../contract/automations/automation-headers.ts'
import { capabilitiesHeader, generalCapabilities } from '../../contract/endpoint/capabilities.ts'
import type { Endpoint, RateLimit } from '../../contract/endpoint/endpoint.ts'
import {
  assumedHeader,
  idempotencyKeyHeader,
  recallHeader,
  replayedHeader,
  requestIdHeader,
} from '../../contract/endpoint/headers.ts'
import type { LogFields, PlainRequest, PlainResponse } from '../../contract/endpoint/http-message.ts'
import { ignoredHeader } from '../../contract/endpoint/ignored-header.ts'
import { Failure, failures, toEnvelope } from '../../contract/errors/failures.ts'
import { stringifyJson } from '../../node/json.ts'
import { requireWithinChatLimits } from '../services/conversations/chat-limits.ts'
import { type AuthenticatedKey, authenticate, isLastUseStale } from '../services/runtime/api-keys.ts'
import type { Deps } from '../services/runtime/deps.ts'
import { toErrorResponse, toFailure } from '../services/runtime/error-responses.ts'
import { findEarlierResponse, runOnce, runResumable } from '../services/runtime/idempotency.ts'
import { requireAccessToInput } from '../services/runtime/key-access.ts'
import { requireFixedWindow, requireSlidingWindow } from '../services/runtime/request-limits.ts'
import type { Caller, LoadedResource } from './handlers/handler.ts'
import { readInput } from './http/read-input.ts'
import { createRouter, type Match, methodNotAllowed, originOf, type Route, splitUrl } from './http/router.ts'
import { createAuthenticator, tokenOf } from './middleware/authenticate-request.ts'
import { withFaults } from './middleware/inject-faults.ts'

/** A response to a read, with what a request for it must do besides. */
interface CachedResponse {
  readonly status: number
  readonly body: string
  readonly endpoint: string
  readonly isAssumed: boolean
  readonly owner: AuthenticatedKey
}

/** What the response to a request depends on: the caller, and what is read. */
const keyOf = ({ url, headers }: PlainRequest): string => `response ${url} ${headers.authorization}`

/** Returns the response to an identical earlier request, if no process has written since. */
const findCachedResponse = (
  { connection }: Pick<Deps, 'connection'>,
  request: PlainRequest,
): CachedResponse | undefined =>
  request.method === 'GET' && request.headers.authorization !== undefined
    ? connection.cachedResult?.<CachedResponse>(keyOf(request))
    : undefined

/**
 * Caches the response to a request. `read` authenticates and reads again, from caches, so that what it returns belongs
 * to one state of the database. It returns undefined for what must not be cached.
 */
function cacheResponse(
  { connection }: Pick<Deps, 'connection'>,
  request: PlainRequest,
  read: () => Promise<CachedResponse | undefined>,
): void {
  // A failed read is not cached. The request itself reports the failure.
  if (connection.cachedResult) connection.cachedRead(keyOf(request), read).catch(() => {})
}

/**
 * Reads whose response depends only on rows, not on the time, the host of the request or external services. The response
 * is cached until the next write. The local telephony provider stores its orders as rows.
 */
const cacheableReads: ReadonlySet<string> = new Set([
  'keys.list',
  'knowledge.get',
  'numbers.search',
  'sipTrunks.get',
  'tools.get',
])

/** Returns whether a key has expired at a wall time in milliseconds. Responses are cached only while the clock has it. */
const isExpired = ({ restrictions }: AuthenticatedKey, wall: number): boolean =>
  restrictions?.expiresAt != null && restrictions.expiresAt <= wall * 1000

/** Options of the app. */
interface AppOptions {
  readonly deps: Deps
  readonly routes: readonly Route[]
  readonly resources: Readonly<Record<string, (deps: Deps) => Promise<LoadedResource>>>
  /** Pages outside the contract, by path: probes and the OpenAPI document. */
  readonly pages: Readonly<Record<string, () => Promise<PlainResponse>>>
  readonly controlToken: () => string
  /** Whether the control API answers requests from other machines. */
  readonly controlPublic?: boolean
  /** Whether something observes the calls of providers, so that their results must not be cached. */
  readonly isObserved: boolean
  /** Rate limit for all endpoints together, if the operator sets one. The specification defines none (section 8). */
  readonly limit?: RateLimit
  readonly log: (text: string, fields?: LogFields) => void
  readonly requestId: () => string
}

type Answer = Pick<PlainResponse, 'status' | 'body' | 'cut'>

/** A request with its endpoint and its caller. */
interface ResolvedRequest {
  readonly match: Match
  readonly endpoint: Endpoint
  readonly served: LoadedResource
  readonly caller: Caller
  readonly request: PlainRequest
  readonly search: string | undefined
  /** Response headers, to be added to. */
  readonly headers: Record<string, string>
  /** Whether there are fault rules. */
  readonly faults: boolean
}

/** Handles one request. It never throws: an internal error becomes a 500 with a log line. */
export type RequestHandler = (request: PlainRequest) => Promise<PlainResponse>

/** The platform's API. */
export interface App {
  readonly handle: RequestHandler
  /** Returns the endpoint of a method and a path with the values of its parameters; undefined for an unknown one. */
  find(method: string, path: string): Promise<FoundEndpoint | undefined>
  /** Waits for background work of requests that were answered. */
  settle(): Promise<void>
}

/** An endpoint with the parameters of a path. */
interface FoundEndpoint {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
}

/** Creates the platform's API on plain requests and responses, for a socket or for callers in the same process. */
export function createApp(options: AppOptions): App {
  const { deps } = options
  const route = createRouter(options.routes)
  const loaded = new Map<string, Promise<LoadedResource>>()
  const background = new Set<Promise<unknown>>()
  const advertisedCapabilities = [
    ...new Set([...Object.keys(generalCapabilities), ...options.routes.flatMap((it) => it[4] ?? [])]),
  ].join(' ')

  const loaderOf = (resource: string): AppOptions['resources'][string] => {
    const loader = options.resources[resource]
    if (!loader) throw new Error(`The resource ${resource} has no handlers.`)
    return loader
  }
  const load = (resource: string): Promise<LoadedResource> => {
    let handlers = loaded.get(resource)
    if (!handlers) {
      handlers = loaderOf(resource)(deps)
      loaded.set(resource, handlers)
      // A failed load is not cached, so that a later request can retry it.
      handlers.catch(() => loaded.delete(resource))
    }
    return handlers
  }

  function runInBackground(work: Promise<unknown>): void {
    const done = work.catch((error: Error) => options.log(error.message)).finally(() => background.delete(done))
    background.add(done)
  }

  async function settle(): Promise<void> {
    while (background.size > 0) await Promise.all(background)
  }

  const { authenticateRequest, setDateHeader } = createAuthenticator({ ...options, runInBackground })

  /** Returns the cached response to an identical earlier request, unless the use of the key must be stored first. */
  function answerFromCache(request: PlainRequest, headers: Record<string, string>): CachedResponse | undefined {
    const found = findCachedResponse(deps, request)
    if (
      !found ||
      isExpired(found.owner, deps.wall()) ||
      background.size > 0 ||
      isLastUseStale(found.owner.lastUsedAt, deps.wall() * 1000)
    )
      return undefined
    if (found.isAssumed) headers[assumedHeader] = found.endpoint
    if (request.context) {
      request.context.endpoint = found.endpoint
      request.context.account = found.owner.account.id
    }
    return found
  }

  async function answer(request: PlainRequest, headers: Record<string, string>): Promise<Answer> {
    const [path = '', search] = splitUrl(request.url)
    const page = options.pages[path]
    if (page) {
      if (request.context) request.context.endpoint = path.slice(1)
      if (request.method !== 'GET') throw methodNotAllowed(['GET'])
      const { headers: more, ...rest } = await page()
      Object.assign(headers, more)
      return rest
    }
    const match = route(request.method, path)
    if ('methods' in match) throw match.methods.length > 0 ? methodNotAllowed(match.methods) : new Failure('no_route')
    const served = await load(match.resource)
    const endpoint = served.endpoints[match.verb]
    if (!endpoint) throw new Error(`The route ${match.resource}.${match.verb} has no endpoint.`)
    if (endpoint.assumed) headers[assumedHeader] = endpoint.name
    if (request.context) request.context.endpoint = endpoint.name

    const { faults, ...who } = await authenticateRequest(endpoint, request, headers)
    if (request.context && who.account.id > 0) request.context.account = who.account.id
    const resolved = {
      match,
      endpoint,
      served,
      caller: {
        ...who,
        origin: originOf(request),
        requestHeaders: request.headers,
        responseHeaders: headers,
      },
      request,
      search,
      headers,
      faults,
    }
    if (!faults) return perform(resolved)
    const suspect = {
      deps,
      endpoint: endpoint.name,
      account: who.account.id,
      request,
      params: match.params,
      search,
      headers,
    }
    return withFaults(suspect, () => perform(resolved))
  }

  async function perform({
    match,
    endpoint,
    served,
    caller: initialCaller,
    request,
    search,
    headers,
    faults,
  }: ResolvedRequest): Promise<Answer> {
    const { handlers, findOwner, statusOf, storedCondition } = served
    let caller = initialCaller
    // The list shows when each key was last used, including this use.
    if (endpoint.name === 'keys.list') await settle()
    const isLimited = caller.account.id > 0 && !request.inspector
    if (options.limit && isLimited)
      Object.assign(headers, await requireFixedWindow(deps, caller.account.id, options.limit))
    if (endpoint.limit && isLimited)
      Object.assign(headers, await requireSlidingWindow(deps, caller.account.id, endpoint.limit))
    const stored =
      endpoint.method === 'PUT' && storedCondition ? () => storedCondition(caller.account.id, match.params) : undefined
    let ignored: readonly string[] = []
    const onIgnored = (names: readonly string[]): void => {
      ignored = names
    }
    const read = () =>
      readInput(endpoint, request, match.params, search === undefined ? undefined : new URLSearchParams(search), {
        stored,
        onIgnored,
      })
    const run = async (
      input: object,
      by: LoadedResource['handlers'],
      extraCaller: Partial<Caller> = {},
    ): Promise<{ status: number; body: string }> => {
      const output = endpoint.output.safeParse(await by[match.verb]?.(input, { ...caller, ...extraCaller }))
      if (!output.success)
        throw new Error(`The response of ${endpoint.name} does not match its contract: ${output.error.message}`)
      if (ignored.length > 0) headers[ignoredHeader] = ignored.join(', ')
      return { status: statusOf?.(match.verb, output.data) ?? endpoint.status, body: stringifyJson(output.data) }
    }
    if (cacheableReads.has(endpoint.name) && !faults && !options.isObserved) {
      const respond = () =>
        deps.connection.cachedRead(`${endpoint.name} ${caller.account.id} ${request.url}`, async () =>
          run(await read(), handlers),
        )
      const answer = await respond()
      if (!options.limit && !endpoint.limit)
        cacheResponse(deps, request, async () => {
          const { shifted, faults } = await deps.clock.status()
          const owner = await authenticate(deps, tokenOf(request) ?? '')
          return owner && !shifted && !faults
            ? { ...(await respond()), endpoint: endpoint.name, isAssumed: endpoint.assumed !== undefined, owner }
            : undefined
        })
      return answer
    }
    const input = await read()
    requireAccessToInput(endpoint.name, caller.key, input)
    // Without a key, the resource that the request names determines the account.
    const account = endpoint.auth === 'none' ? await findOwner?.(input) : undefined
    if (account) {
      caller = { ...caller, account }
      if (request.context) request.context.account = account.id
      if (options.limit) Object.assign(headers, await requireFixedWindow(deps, account.id, options.limit))
    }
    if (endpoint.auth === 'none' && request.method === 'POST') await requireWithinChatLimits(deps, request, input)
    const key = request.headers[idempotencyKeyHeader]
    if (!key || request.method === 'GET' || request.method === 'HEAD' || caller.account.id === 0)
      return run(input, handlers)
    const claim = { account: caller.account.id, key, request }
    const earlier =
      request.headers[recallHeader] !== undefined && (await findEarlierResponse(deps, claim, endpoint.atomic))
    const runWith = async (own: Deps) => run(input, (await loaderOf(match.resource)(own)).handlers)
    const response =
      earlier ||
      (await (endpoint.risk === 'spends' && !endpoint.atomic
        ? runResumable(deps, claim, () => run(input, handlers, { idempotencyKey: key }).catch(toErrorResponse))
        : runOnce(deps, claim, runWith, endpoint.risk === 'write' || endpoint.atomic === true)))
    if (response.replayed) headers[replayedHeader] = 'true'
    return response
  }

  async function handle(request: PlainRequest): Promise<PlainResponse> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      [requestIdHeader]: request.headers[requestIdHeader] ?? options.requestId(),
      [capabilitiesHeader]: advertisedCapabilities,
    }
    try {
      const cached = answerFromCache(request, headers)
      if (cached) return { status: cached.status, body: cached.body, headers }
      return { ...(await answer(request, headers)), headers }
    } catch (error) {
      const failure =
        error instanceof Failure
          ? error
          : await toFailure(
              error as Error,
              `${request.method} ${request.url}`,
              (text, reason) =>
                options.log(text, {
                  request_id: headers[requestIdHeader],
                  trace_id: request.context?.traceId,
                  ...(reason !== undefined && { reason }),
                }),
              options.deps.countEvent,
            )
      // The failure happened before the header was set. If the database cannot be read, there is no platform time
      // either.
      if (headers.date === undefined) await setDateHeader(headers).catch(() => {})
      return {
        status: failures[failure.kind].status,
        headers: { ...headers, ...failure.headers },
        body: stringifyJson(toEnvelope(failure, request.headers[detailsHeader] === detailsFull)),
      }
    }
  }

  async function find(method: string, path: string): Promise<FoundEndpoint | undefined> {
    const match = route(method, path)
    if ('methods' in match) return undefined
    const endpoint = (await load(match.resource)).endpoints[match.verb]
    return endpoint && { endpoint, params: match.params }
  }

  return { handle, find, settle }
}

/**
 * Handles HEAD like GET without the body. `Content-Length` is the length of the omitted body (RFC 9110, section 9.3.2).
 */
export const withHeadRequests =
  (handle: RequestHandler): RequestHandler =>
  async (request) => {
    if (request.method !== 'HEAD') return handle(request)
    const { body, headers, ...rest } = await handle({ ...request, method: 'GET' })
    return { ...rest, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body: '' }
  }
