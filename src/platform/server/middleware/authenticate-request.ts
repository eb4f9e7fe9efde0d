import { type EndpointName, endpointScopes } from '../../../contract/access/endpoint-scopes.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { controlHeader } from '../../../contract/endpoint/headers.ts'
import type { PlainRequest } from '../../../contract/endpoint/http-message.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { payerOf } from '../../services/billing/key-budget.ts'
import { apiKeyService, authenticate, findActingAccount, isLastUseStale } from '../../services/runtime/api-keys.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type RestrictedKey, requireAccess } from '../../services/runtime/key-access.ts'
import { isEqualSecret } from '../../services/runtime/vault.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'

/**
 * Counts a request with a wrong key. Returns the failure to answer with: `otherwise`, or 429 with Retry-After after too
 * many from one address. Keys are random, so a right one is accepted even then. Callers in this process are not limited.
 */
async function rejectAttempt(
  { attempts }: Pick<Deps, 'attempts'>,
  { remote }: PlainRequest,
  otherwise: Failure,
): Promise<Failure> {
  const seconds = remote && attempts ? (await attempts()).fail(remote.address, 'keys') : 0
  return seconds === 0
    ? otherwise
    : new Failure('throttled', { extra: { retry_after: seconds }, headers: { 'retry-after': String(seconds) } })
}

/** Options of the authentication of requests. */
interface AuthenticatorOptions {
  readonly deps: Deps
  readonly controlToken: () => string
  /** Whether the control API answers requests from other machines. */
  readonly controlPublic?: boolean
  /** Continues with work after the response. */
  readonly runInBackground: (work: Promise<unknown>) => void
}

const controlAccount: AccountRow = {
  id: 0,
  name: 'control',
  email: '',
  kind: 'tenant',
  balance: 0,
  minute_rate: 0,
  payment_method: null,
  created_at: 0,
  stopped_at: null,
}

/** Returns the API key of a request. */
export const tokenOf = ({ headers }: PlainRequest): string | undefined =>
  /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim()

/** Creates the authentication of requests. It also sets the Date header, whose time is read together with the key. */
export function createAuthenticator(options: AuthenticatorOptions) {
  const { deps, runInBackground } = options
  /** Ids of keys whose last use is being stored. */
  const pendingKeyUpdates = new Set<number>()
  let keys: ReturnType<typeof apiKeyService> | undefined

  /**
   * Sets the Date header when the clock is shifted, because times in the response refer to it. Returns whether there
   * are fault rules.
   */
  async function setDateHeader(headers: Record<string, string>): Promise<boolean> {
    const { now, shifted, faults } = await deps.clock.status()
    if (shifted) headers.date = new Date(now / 1000).toUTCString()
    return faults
  }

  /** Authenticates the caller. `faults` is whether there are fault rules; they do not apply to the control API. */
  async function authenticateRequest(
    endpoint: Endpoint,
    request: PlainRequest,
    headers: Record<string, string>,
  ): Promise<{ account: AccountRow; keyId: number; key?: RestrictedKey | undefined; faults: boolean }> {
    const name = endpoint.name as EndpointName
    if (endpoint.auth === 'none') {
      const faults = await setDateHeader(headers)
      // No key is needed. One that is sent restricts the request.
      const key = (await authenticate(deps, tokenOf(request) ?? ''))?.restrictions
      requireAccess(name, key, key ? await deps.clock.now() : 0)
      return { account: controlAccount, keyId: 0, key, faults }
    }
    if (endpoint.auth === 'control') {
      await requireControlCaller(request, options)
      await setDateHeader(headers)
      return { account: controlAccount, keyId: 0, faults: false }
    }
    // A sign-in to the inspector decides nothing that needs a key of a person.
    if (request.inspector && endpointScopes[name] !== 'approve') {
      await setDateHeader(headers)
      return { account: await findActingAccount(deps, request.inspector.account), keyId: 0, faults: false }
    }
    const token = tokenOf(request)
    // Read at the same time as the key: with a database on a server, each answer takes time.
    const status = deps.clock.status()
    status.catch(() => {})
    const owner = token && (await authenticate(deps, token))
    // Some endpoints have a specific error for this.
    if (!owner) {
      const failure = new Failure(endpoint.errors.find((it) => it.endsWith('.unauthorized')) ?? 'unauthenticated')
      throw token ? await rejectAttempt(deps, request, failure) : failure
    }
    const { now, shifted, faults } = await status
    if (shifted) headers.date = new Date(now / 1000).toUTCString()
    requireAccess(name, owner.restrictions, now)
    // Stores the use once for all requests until it is written.
    if (isLastUseStale(owner.lastUsedAt, now) && !pendingKeyUpdates.has(owner.key)) {
      keys ??= apiKeyService(deps)
      pendingKeyUpdates.add(owner.key)
      runInBackground(
        keys.recordUse(owner.account.id, owner.key, now).finally(() => pendingKeyUpdates.delete(owner.key)),
      )
    }
    const key = owner.restrictions
    return { account: key ? payerOf(owner.account, key.id) : owner.account, keyId: owner.key, key, faults }
  }

  return { authenticateRequest, setDateHeader }
}

/**
 * Checks a request to the control API: made on the machine of the server, by no web page, with the control token.
 * @throws Failure 401, 403, 429
 */
async function requireControlCaller(
  request: PlainRequest,
  { deps, controlToken, controlPublic }: AuthenticatorOptions,
): Promise<void> {
  if (request.headers.origin !== undefined) throw new Failure('forbidden')
  if (request.remote?.isLocal === false && controlPublic !== true)
    throw new Failure('forbidden', { text: 'The control API accepts requests only from the machine of the server.' })
  if (!isEqualSecret(request.headers[controlHeader] ?? '', controlToken()))
    throw await rejectAttempt(deps, request, new Failure('unauthenticated'))
}
