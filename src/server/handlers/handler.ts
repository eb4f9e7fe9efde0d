import type { EndpointDefinition, HandlerInput, HandlerOutput } from '../../contract/mechanics/endpoint.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'

/** Who asks, and what of the request a handler may need beside its input. */
export interface Caller {
  readonly account: AccountRow
  /** Id of the API key used. */
  readonly keyId: number
  readonly idempotencyKey?: string
  /** Headers of the request, by lower-case name. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Headers of the answer, to add to, by lower-case name. */
  readonly responseHeaders: Record<string, string>
  /** Scheme and host the request was sent to, such as `http://127.0.0.1:8080`; empty where it came over no network. */
  readonly origin: string
  /** Names of the fields the request body gave, before defaults. */
  readonly givenFields: () => ReadonlySet<string>
  /** Names body fields that were accepted and not used, for the `Parley-Ignored` answer header. */
  readonly reportIgnored: (names: readonly string[]) => void
}

/** A handler translates: input to the service's words, rows to the wire's. */
export type Handler<E extends EndpointDefinition> = (
  input: HandlerInput<E>,
  caller: Caller,
) => HandlerOutput<E> | Promise<HandlerOutput<E>>

/** One handler for each endpoint of a resource: a missing one and an extra one do not compile. */
export type HandlersOf<T extends Record<string, EndpointDefinition>> = { readonly [K in keyof T]: Handler<T[K]> }
