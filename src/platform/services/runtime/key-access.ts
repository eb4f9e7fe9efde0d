import {
  type ConditionalEndpoint,
  type EndpointName,
  endpointScopes,
  spendConditions,
} from '../../../contract/access/endpoint-scopes.ts'
import { allowsNoun, nounOf } from '../../../contract/access/scope-table.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { type Budget, parseBudget } from '../../../contract/values/budgets.ts'
import { parseDuration } from '../../../contract/values/duration.ts'
import { includesScope, type KeyScope } from '../../../contract/values/key-scopes.ts'
import { type Micros, toIsoMillis } from '../../../contract/values/micros.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { KeyLimits } from '../../store/accounts/accounts.ts'

/** API key with a scope, resources, a budget or an expiry. Other keys have every right but `approve`. */
export interface RestrictedKey {
  readonly id: number
  readonly scope: KeyScope | null
  /** Resources that the key may use; null for all. */
  readonly nouns: readonly string[] | null
  readonly budget: Budget | null
  readonly expiresAt: Micros | null
}

/** Returns what a stored key is restricted to; undefined for a key without restrictions. */
export function restrictionsOf(id: number, stored: KeyLimits): RestrictedKey | undefined {
  const { scope, nouns, budget, budget_period: period, expires_at: expiresAt } = stored
  if (scope === null && nouns === null && budget === null && expiresAt === null) return undefined
  return {
    id,
    scope,
    nouns: nouns === null ? null : parseJson(nouns),
    budget: budget === null || period === null ? null : { amount: budget, period },
    expiresAt,
  }
}

/** The restrictions of a new key as a request names them. */
export interface KeyRequest {
  readonly scope?: KeyScope | undefined
  readonly nouns?: readonly string[] | undefined
  readonly budget?: string | undefined
  readonly expires?: string | undefined
}

/**
 * Returns the stored restrictions of a new key. A restricted key can create only keys with at most its own rights; what
 * the request leaves out is taken from it. @throws Failure 403 `keys.exceeds_own`
 */
export function limitsOfNewKey(request: KeyRequest, now: Micros, creator?: RestrictedKey): KeyLimits {
  const budget = request.budget === undefined ? undefined : parseBudget(request.budget)
  const duration = request.expires === undefined ? undefined : parseDuration(request.expires)
  const expires = duration === undefined ? undefined : now + duration * 1000
  const scope = request.scope ?? creator?.scope ?? null
  const nouns = request.nouns ?? creator?.nouns ?? null
  const expiresAt = expires ?? creator?.expiresAt ?? null
  if (creator) requireWithin(creator, { scope, nouns, expiresAt })
  return {
    scope,
    nouns: nouns === null ? null : stringifyJson([...new Set(nouns)]),
    budget: budget?.amount ?? null,
    budget_period: budget?.period ?? null,
    expires_at: expiresAt,
  }
}

function requireWithin(
  creator: RestrictedKey,
  { scope, nouns, expiresAt }: Pick<RestrictedKey, 'scope' | 'nouns' | 'expiresAt'>,
): void {
  const refuse = (text: string): never => {
    throw new Failure('keys.exceeds_own', { text: `A key cannot create a key with more rights than its own: ${text}.` })
  }
  if (creator.scope !== null && !(scope !== null && includesScope(creator.scope, scope)))
    refuse(`its scope is ${creator.scope}`)
  const { nouns: own } = creator
  if (own !== null && !nouns?.every((it) => own.includes(it))) refuse(`it is restricted to ${own.join(', ')}`)
  if (creator.expiresAt !== null && (expiresAt === null || expiresAt > creator.expiresAt))
    refuse(`it expires at ${toIsoMillis(creator.expiresAt)}`)
  // Two keys with a budget each could spend it twice.
  if (creator.budget !== null && scope !== 'read' && scope !== 'write')
    refuse('a key with a budget can create only keys with the scope read or write')
}

/** @throws Failure 401 for a key that has expired */
export function requireUnexpired(
  key: Pick<RestrictedKey, 'expiresAt'> | undefined,
  now: Micros,
  who = 'This API key',
): void {
  if (key && key.expiresAt !== null && key.expiresAt <= now)
    throw new Failure('key_expired', { text: `${who} expired at ${toIsoMillis(key.expiresAt)}.` })
}

const scopeName = (scope: KeyScope | null): string =>
  scope === null ? 'This key has every scope but approve' : `This key has the scope ${scope}`

const howToGet = (scope: KeyScope): string =>
  scope === 'approve' ? 'parley server accounts key <account> --scope approve' : `parley keys create --scope ${scope}`

/** Refuses a key without a scope. `why` says what requires the scope. @throws Failure 403 */
function refuseScope(scope: KeyScope | null, needed: KeyScope, why?: string): never {
  throw new Failure('key_scope_missing', {
    text: `This request needs a key with the scope ${needed}${why === undefined ? '' : `: ${why}`}. ${scopeName(scope)}. A person can create one: ${howToGet(needed)}.`,
    extra: { required_scope: needed },
  })
}

/** Returns whether a key may spend money. */
export const maySpend = (key: RestrictedKey | undefined): boolean => includesScope(key?.scope ?? null, 'spend')

/** @throws Failure 403 for a key that may not spend money */
export function requireMaySpend(key: RestrictedKey): void {
  if (!maySpend(key)) refuseScope(key.scope, 'spend')
}

/** Refuses a request that only a key with the scope `spend` may make. @throws Failure 403 */
export function requireSpendScope(key: RestrictedKey | undefined, endpoint: ConditionalEndpoint): void {
  if (!maySpend(key)) refuseScope(key?.scope ?? null, 'spend', spendConditions[endpoint])
}

/**
 * Refuses a key that must not call an endpoint, before anything of the request is read. `key` is undefined for a key
 * without restrictions. @throws Failure 401, 403
 */
export function requireAccess(name: EndpointName, key: RestrictedKey | undefined, now: Micros): void {
  const needed = endpointScopes[name]
  requireUnexpired(key, now)
  if (needed === 'control' || needed === 'any') return
  if (!key && needed !== 'approve') return
  // Without a key the public may do so too, so that a key needs no more than what it is for.
  if (needed !== 'public' && !includesScope(key?.scope ?? null, needed)) refuseScope(key?.scope ?? null, needed)
  requireNoun(key, nounOf(name))
}

/**
 * Refuses a key that is restricted to other resources. `who` names what needs the resource. @throws Failure 403
 */
export function requireNoun(key: RestrictedKey | undefined, noun: string, who = 'this request'): void {
  if (key?.nouns && !allowsNoun(key.nouns, noun))
    throw new Failure('key_noun_missing', {
      text: `This key is restricted to ${key.nouns.join(', ')}, and ${who} needs ${noun}. A person can create another: parley keys create --nouns ${[...key.nouns, noun].join(',')}.`,
      extra: { required_noun: noun },
    })
}

type Values = Readonly<Record<string, unknown>>

/** Whether a value other than null is given for one of several fields. */
const gives = (input: Values, ...fields: readonly string[]): boolean =>
  fields.some((field) => input[field] !== undefined && input[field] !== null)

const assistantNeedsSpend = (input: Values): boolean =>
  input.is_webhook_active === true ||
  gives(input, 'webhook_url', 'conversation_ended_webhook_url', 'phone_number_id') ||
  (Array.isArray(input.tools) && input.tools.length > 0)

/** The conditions that only the input decides. The services of leads and automations decide the others. */
const spendRules: Partial<Readonly<Record<ConditionalEndpoint, (input: Values) => boolean>>> = {
  'tools.update': (input) => gives(input, 'endpoint', 'headers', 'static_fields'),
  'assistants.create': assistantNeedsSpend,
  'assistants.update': assistantNeedsSpend,
  'assistants.setStatus': ({ status }) => status !== 'inactive',
  'campaigns.updateStatus': ({ action }) => action !== 'stop',
  'automate.get': (input) => input.include_secrets === true,
  'automate.version': (input) => input.include_secrets === true,
}

/** Refuses a request whose input needs the scope `spend`. @throws Failure 403 */
export function requireAccessToInput(name: string, key: RestrictedKey | undefined, input: object): void {
  if (key && spendRules[name as ConditionalEndpoint]?.(input as Values))
    requireSpendScope(key, name as ConditionalEndpoint)
}
