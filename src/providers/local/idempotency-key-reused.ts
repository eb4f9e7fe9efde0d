/** An idempotency key came back with another request. A fault of the caller, so it is thrown and never an outcome. */
export class IdempotencyKeyReused extends Error {
  constructor(key: string) {
    super(`The key "${key}" was used with another request.`)
    this.name = 'KeyReused'
  }
}
