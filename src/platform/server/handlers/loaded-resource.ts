import type { Endpoint, EndpointDefinition } from '../../../contract/mechanics/endpoint.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import type { Handler } from './handler.ts'

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
