import type { Micros } from '../../contract/values/micros.ts'
import type { ProviderResult } from './provider.ts'

/** The account that uses a connection, with its credentials. */
export interface ConnectionAccess {
  readonly account: number
  /** The secret of the connection, in the form its kind needs; empty without a connection. */
  readonly secret: Readonly<Record<string, unknown>>
  /** Time of the platform. */
  readonly now: Micros
}

/**
 * The result of a call to an account that a person connects once. A call that changes something takes an idempotency
 * key before the access: a repeated key returns the first result and does nothing more, and a key always belongs to one
 * request. Steps of automations call the same methods through `ConnectedPort`.
 */
export type ConnectedResult<T> = Promise<ProviderResult<{ readonly value: T }>>
