import type { Endpoint } from '../endpoint/endpoint.ts'
import type { FailureName } from '../errors/failures.ts'

/**
 * Failures of any endpoint, with the name of the shared response that documents each. Others generate clients from these
 * names in OpenAPI documents.
 */
export const generalResponses = {
  malformed: 'MalformedBody',
  unauthenticated: 'Unauthenticated',
  forbidden: 'Forbidden',
  key_scope_missing: 'KeyScopeMissing',
  key_noun_missing: 'KeyNounMissing',
  key_expired: 'KeyExpired',
  key_budget_exceeded: 'KeyBudgetExceeded',
  no_route: 'NotFound',
  wrong_method: 'MethodNotAllowed',
  idempotency_conflict: 'IdempotencyConflict',
  too_large: 'BodyTooLarge',
  not_json: 'UnsupportedMediaType',
  invalid: 'InvalidRequest',
  throttled: 'TooManyRequests',
  internal: 'InternalError',
  unavailable: 'Unavailable',
} as const satisfies Partial<Record<FailureName, string>>

/** Failure that many endpoints share, and that OpenAPI describes once. */
export type GeneralFailure = keyof typeof generalResponses

/** Returns the failures that an endpoint can answer with in addition to those it declares. */
export function generalFailures({
  auth = 'key',
  method,
  params,
  query,
  body,
  errors,
  risk,
}: Endpoint): GeneralFailure[] {
  const isNotFoundDeclared = errors.some((it) => it.endsWith('not_found'))
  return [
    ...(body ? (['malformed'] as const) : []),
    ...(auth === 'none' || errors.some((it) => it.endsWith('.unauthorized')) ? [] : (['unauthenticated'] as const)),
    ...(auth === 'key' ? (['key_expired', 'key_scope_missing', 'key_noun_missing'] as const) : []),
    ...(auth === 'key' && risk === 'spends' ? (['key_budget_exceeded'] as const) : []),
    ...(auth === 'control' ? (['forbidden'] as const) : []),
    ...(params && !isNotFoundDeclared ? (['no_route'] as const) : []),
    'wrong_method',
    ...(auth === 'key' && method !== 'GET' ? (['idempotency_conflict'] as const) : []),
    ...(body ? (['too_large', 'not_json'] as const) : []),
    // A write without a body can have an invalid Idempotency-Key.
    ...(body || query || (auth === 'key' && method !== 'GET') ? (['invalid'] as const) : []),
    'throttled',
    'internal',
    'unavailable',
  ]
}
