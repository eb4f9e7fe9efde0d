import { detailsFull, detailsHeader } from '../contract/automations/automation-headers.ts'
import { Failure, failures, toEnvelope } from '../contract/errors/failures.ts'
import { capabilities, capabilitiesHeader } from '../contract/mechanics/capabilities.ts'
import type { Endpoint } from '../contract/mechanics/endpoint.ts'
import type { PlainRequest, PlainResponse } from '../contract/mechanics/http-message.ts'
import { ignoredHeader } from '../contract/mechanics/ignored-header.ts'
import { apiKeyService, authenticate, isLastUseStale } from '../services/runtime/api-keys.ts'
import type { Deps } from '../services/runtime/deps.ts'
import type { AccountRow } from '../store/accounts/accounts.ts'
import type { Caller } from './handlers/handler.ts'
import type { LoadedResource } from './handlers/resource-loaders.ts'
import { readInput } from './http/read-input.ts'
import { createRouter, type Match, type Route } from './http/router.ts'
import { cacheableReads } from './middleware/cacheable-reads.ts'
import { findEarlierResponse, runOnce, runResumable } from './middleware/idempotency.ts'
import { checkFixedWindow, checkSlidingWindow, type RequestLimit } from './middleware/request-limits.ts'

export interface AppOptions {
  readonly deps: Deps
  readonly routes: readonly Route[]
  readonly resources: Readonly<Record<string, (deps: Deps) => Promise<LoadedResource>>>
  /** Answers below these paths are not the contract's: probes, the OpenAPI document. */
  readonly pages: Readonly<Record<string, () => Promise<PlainResponse>>>
  readonly controlToken: () => string
  /** A limit over all endpoints, when the operator sets one. The specification states none (section 8). */
  readonly limit?: RequestLimit
  readonly log: (text: string) => void
  readonly requestId: () => string
}

type Answer = Pick<PlainResponse, 'status' | 'body' | 'cut'>

/** A request that found its endpoint, and who asks. */
interface ResolvedRequest {
  readonly match: Match
  readonly endpoint: Endpoint
  readonly served: LoadedResource
  readonly caller: Caller
  readonly request: PlainRequest
  readonly search: string | undefined
  /** Headers of the answer, to add to. */
  readonly headers: Record<string, string>
}

/** Answers one request. Never throws: whatever goes wrong inside is a 500 with a log line. */
export type RequestHandler = (request: PlainRequest) => Promise<PlainResponse>

const advertisedCapabilities = capabilities.join(' ')

const controlAccount: AccountRow = {
  id: 0,
  name: 'control',
  email: '',
  kind: 'tenant',
  balance: 0,
  minute_rate: 0,
  payment_method: null,
  created_at: 0,
}

/** The platform's interface over plain requests and answers; a socket or a caller in the same process makes no difference. */
export function createApp(options: AppOptions): { readonly handle: RequestHandler; settle(): Promise<void> } {
  const { deps } = options
  const route = createRouter(options.routes)
  const loaded = new Map<string, Promise<LoadedResource>>()
  const background = new Set<Promise<unknown>>()
  /** Keys whose use is being written down. */
  const pendingKeyUpdates = new Set<number>()
  let keys: ReturnType<typeof apiKeyService> | undefined

  const loaderOf = (resource: string): AppOptions['resources'][string] => {
    const loader = options.resources[resource]
    if (!loader) throw new Error(`The resource ${resource} has no handlers.`)
    return loader
  }
  const load = (resource: string): Promise<LoadedResource> => {
    let it = loaded.get(resource)
    if (!it) {
      it = loaderOf(resource)(deps)
      loaded.set(resource, it)
      // What could not be loaded just now may be loaded the next time.
      it.catch(() => loaded.delete(resource))
    }
    return it
  }

  function runInBackground(work: Promise<unknown>): void {
    const done = work.catch((error: Error) => options.log(error.message)).finally(() => background.delete(done))
    background.add(done)
  }

  /** Waits for what goes on behind answers already given. */
  async function settle(): Promise<void> {
    while (background.size > 0) await Promise.all(background)
  }

  /** Whoever reads the times of an answer has to know from when they count. Tells whether any request is to fail on purpose. */
  async function setDateHeader(headers: Record<string, string>): Promise<boolean> {
    const { now, shifted, faults } = await deps.clock.status()
    if (shifted) headers.date = new Date(now / 1000).toUTCString()
    return faults
  }

  /** `faults` tells whether any request is to fail on purpose; control is out of their reach. */
  async function authenticateRequest(
    endpoint: Endpoint,
    request: PlainRequest,
    headers: Record<string, string>,
  ): Promise<{ account: AccountRow; keyId: number; faults: boolean }> {
    if (endpoint.auth === 'none') return { account: controlAccount, keyId: 0, faults: await setDateHeader(headers) }
    if (endpoint.auth === 'control') {
      if (request.headers.origin !== undefined) throw new Failure('forbidden')
      const { isEqualSecret } = await import('../services/runtime/secret-equality.ts')
      if (!isEqualSecret(request.headers['parley-control'] ?? '', options.controlToken()))
        throw new Failure('unauthenticated')
      return { account: controlAccount, keyId: 0, faults: false }
    }
    const token = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const owner = token && (await authenticate(deps, token.trim()))
    // Some endpoints word it their own way.
    if (!owner) throw new Failure(endpoint.errors.find((it) => it.endsWith('.unauthorized')) ?? 'unauthenticated')
    const { now, shifted, faults } = await deps.clock.status()
    if (shifted) headers.date = new Date(now / 1000).toUTCString()
    // Once, however many requests come before it is written.
    if (isLastUseStale(owner.lastUsedAt, now) && !pendingKeyUpdates.has(owner.key)) {
      keys ??= apiKeyService(deps)
      pendingKeyUpdates.add(owner.key)
      runInBackground(keys.recordUse(owner.key, now).finally(() => pendingKeyUpdates.delete(owner.key)))
    }
    return { account: owner.account, keyId: owner.key, faults }
  }

  async function answer(request: PlainRequest, headers: Record<string, string>): Promise<Answer> {
    const [path = '', search] = split(request.url)
    const page = options.pages[path]
    if (page) {
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
    if (endpoint.assumed) headers['parley-assumed'] = endpoint.name

    const { faults, ...who } = await authenticateRequest(endpoint, request, headers)
    const resolved = {
      match,
      endpoint,
      served,
      caller: {
        ...who,
        origin: originOf(request),
        requestHeaders: request.headers,
        responseHeaders: headers,
        givenFields: () => bodyFieldNames(request),
        reportIgnored: ignoredFieldsReporter(headers),
      },
      request,
      search,
      headers,
    }
    if (!faults) return perform(resolved)
    const { withFaults } = await import('./middleware/inject-faults.ts')
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
  }: ResolvedRequest): Promise<Answer> {
    const { handlers, findOwner, statusOf } = served
    let caller = initialCaller
    // The list tells when each key was used: this use too.
    if (endpoint.name === 'keys.list') await settle()
    if (options.limit && caller.account.id > 0)
      Object.assign(headers, await checkFixedWindow(deps, caller.account.id, options.limit))
    if (endpoint.limit && caller.account.id > 0)
      Object.assign(headers, await checkSlidingWindow(deps, caller.account.id, endpoint.limit))
    const read = () =>
      readInput(endpoint, request, match.params, search === undefined ? undefined : new URLSearchParams(search))
    const run = async (
      input: object,
      by: LoadedResource['handlers'],
      extraCaller: Partial<Caller> = {},
    ): Promise<{ status: number; body: string }> => {
      const output = endpoint.output.safeParse(await by[match.verb]?.(input, { ...caller, ...extraCaller }))
      if (!output.success)
        throw new Error(`The response of ${endpoint.name} does not match its contract: ${output.error.message}`)
      return { status: statusOf?.(match.verb, output.data) ?? endpoint.status, body: JSON.stringify(output.data) }
    }
    if (cacheableReads.has(endpoint.name))
      return deps.connection.cachedRead(`${endpoint.name} ${caller.account.id} ${request.url}`, async () =>
        run(read(), handlers),
      )
    const input = read()
    // Without a key it is what the request names that tells whose it is.
    const account = endpoint.auth === 'none' ? await findOwner?.(input) : undefined
    if (account) {
      caller = { ...caller, account }
      if (options.limit) Object.assign(headers, await checkFixedWindow(deps, account.id, options.limit))
    }
    const key = request.headers['idempotency-key']
    if (!key || request.method !== 'POST' || caller.account.id === 0) return run(input, handlers)
    const claim = { account: caller.account.id, key, request }
    const earlier =
      request.headers['parley-recall'] !== undefined && (await findEarlierResponse(deps, claim, endpoint.atomic))
    const stored =
      earlier ||
      (await (endpoint.risk === 'spends' && !endpoint.atomic
        ? runResumable(deps, claim, () => run(input, handlers, { idempotencyKey: key }).catch(toErrorResponse))
        : runOnce(deps, claim, async (own) => run(input, (await loaderOf(match.resource)(own)).handlers))))
    if (stored.replayed) headers['idempotent-replayed'] = 'true'
    return stored
  }

  async function handle(request: PlainRequest): Promise<PlainResponse> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-request-id': request.headers['x-request-id'] ?? options.requestId(),
      [capabilitiesHeader]: advertisedCapabilities,
    }
    try {
      return { ...(await answer(request, headers)), headers }
    } catch (error) {
      const failure =
        error instanceof Failure
          ? error
          : await toFailure(error as Error, `${request.method} ${request.url}`, options.log)
      // Refused before anybody looked; a database that cannot be read has no time either.
      if (headers.date === undefined) await setDateHeader(headers).catch(() => {})
      return {
        status: failures[failure.kind].status,
        headers: { ...headers, ...failure.headers },
        body: JSON.stringify(toEnvelope(failure, request.headers[detailsHeader] === detailsFull)),
      }
    }
  }

  return { handle, settle }
}

/** Fields at the top of a body that was read without a refusal. */
const bodyFieldNames = ({ body }: PlainRequest): ReadonlySet<string> =>
  new Set(body ? Object.keys(JSON.parse(body) as object) : [])

const ignoredFieldsReporter =
  (headers: Record<string, string>): Caller['reportIgnored'] =>
  (names) => {
    headers[ignoredHeader] = names.join(', ')
  }

/** A 405 that lists the methods of the path in `Allow`, as RFC 9110 asks; every GET is also answered to HEAD. */
function methodNotAllowed(methods: readonly string[]): Failure {
  const order = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : [...methods]
  return new Failure('wrong_method', {
    headers: { allow: all.sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(', ') },
  })
}

/** A refusal by the rules is an answer, and kept as one under an idempotency key. Anything else is not. */
function toErrorResponse(error: unknown): { status: number; body: string } {
  if (!(error instanceof Failure)) throw error
  return { status: failures[error.kind].status, body: JSON.stringify(toEnvelope(error)) }
}

async function toFailure(error: Error, request: string, log: (text: string) => void): Promise<Failure> {
  const { StoreError } = await import('../store/database/store-error.ts')
  const { VaultError } = await import('../services/runtime/vault.ts')
  log(`${request}: ${error.stack ?? error.message}`)
  if (error instanceof StoreError)
    return new Failure('unavailable', { text: error.message, headers: { 'retry-after': '1' } })
  // Nobody but the owner of the data folder can mend it, and whoever asks learns nothing but that.
  if (error instanceof VaultError) return new Failure('unavailable', { text: error.message })
  return new Failure('internal')
}

/** A proxy that speaks TLS says so. */
function originOf({ headers }: PlainRequest): string {
  return headers.host === undefined
    ? ''
    : `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${headers.host}`
}

function split(url: string): [string, string | undefined] {
  const at = url.indexOf('?')
  return at < 0 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)]
}
