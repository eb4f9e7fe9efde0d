/**
 * An idempotency key was reused with another request. This is a bug of the caller, so it is thrown and never returned
 * as an outcome.
 */
export class IdempotencyKeyReused extends Error {
  constructor(key: string) {
    super(`The key "${key}" was used with another request.`)
    this.name = 'IdempotencyKeyReused'
  }
}
