import type { Endpoint, EndpointDefinition, HandlerInput, HandlerOutput } from '../../../contract/endpoint/endpoint.ts'
import type { Payer } from '../../services/billing/key-budget.ts'
import type { RestrictedKey } from '../../services/runtime/key-access.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'

/** The caller of a request, and what handlers need of the request besides the input. */
export interface Caller {
  readonly account: Payer
  /** Id of the API key used. */
  readonly keyId: number
  /** What the API key is restricted to; undefined for a key without restrictions. */
  readonly key?: RestrictedKey | undefined
  readonly idempotencyKey?: string
  /** Request headers by lower-case name. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Response headers by lower-case name, to be added to. */
  readonly responseHeaders: Record<string, string>
  /** Scheme and host of the request, such as `http://127.0.0.1:8080`; empty for requests in process. */
  readonly origin: string
}

/**
 * Handles an endpoint: passes the input to a service and converts its result to the API's form, which app.ts checks against the
 * contract. Commands print a `message`, and the examples of the OpenAPI documents have it; some are texts of the specification.
 */
type Handler<E extends EndpointDefinition> = (
  input: HandlerInput<E>,
  caller: Caller,
) => HandlerOutput<E> | Promise<HandlerOutput<E>>

/** The handlers of a resource. A missing or extra handler does not compile. */
export type HandlersOf<T extends Record<string, EndpointDefinition>> = { readonly [K in keyof T]: Handler<T[K]> }

/** The endpoints of a resource with their handlers. They are loaded with the first request for the resource. */
export interface LoadedResource {
  readonly endpoints: Readonly<Record<string, Endpoint>>
  readonly handlers: Readonly<Record<string, Handler<EndpointDefinition>>>
  /** Returns the status of a response, for endpoints with several. */
  readonly statusOf?: (verb: string, answer: unknown) => number | undefined
  /** Returns the account of a request without an API key; undefined if there is none. */
  readonly findOwner?: (input: Readonly<Record<string, unknown>>) => Promise<AccountRow | undefined>
  /**
   * Returns the value on which the conditional fields of a stored record depend; undefined if there is none. A write
   * accepts any value of the fields that do not apply with it, or with the value in its own body.
   */
  readonly storedCondition?: (account: number, params: Readonly<Record<string, string>>) => Promise<unknown>
}

/** Combines the endpoints of a resource with their handlers. */
export const loadedResource = (endpoints: object, handlers: object): LoadedResource =>
  ({ endpoints, handlers }) as LoadedResource
