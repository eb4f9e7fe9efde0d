import type { EndpointDefinition, HandlerInput, HandlerOutput } from '../../../contract/mechanics/endpoint.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'

/** The caller of a request, and what handlers need of the request besides the input. */
export interface Caller {
  readonly account: AccountRow
  /** Id of the API key used. */
  readonly keyId: number
  readonly idempotencyKey?: string
  /** Request headers by lower-case name. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Response headers by lower-case name, to be added to. */
  readonly responseHeaders: Record<string, string>
  /** Scheme and host of the request, such as `http://127.0.0.1:8080`; empty for requests in process. */
  readonly origin: string
}

/** Handles an endpoint: passes the input to a service and converts its result to the API's form. */
export type Handler<E extends EndpointDefinition> = (
  input: HandlerInput<E>,
  caller: Caller,
) => HandlerOutput<E> | Promise<HandlerOutput<E>>

/** The handlers of a resource. A missing or extra handler does not compile. */
export type HandlersOf<T extends Record<string, EndpointDefinition>> = { readonly [K in keyof T]: Handler<T[K]> }
