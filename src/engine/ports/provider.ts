/** An external service that a platform is connected to. */
export interface Provider {
  /** One word, such as `local`. */
  readonly name: string
  /** A sentence that describes the provider. */
  readonly description: string
  /** Returns the description of a provider that is created on first use; rejects if it cannot be created. */
  describe?(): Promise<string>
}

/** A refusal by a provider. `because` is set if a record is missing, access is denied, or the provider is busy. */
export interface ProviderRefusal {
  readonly ok: false
  readonly reason: string
  readonly because?: 'missing' | 'access' | 'busy'
}

/** The result of a provider call. */
export type ProviderResult<T> = ({ readonly ok: true } & T) | ProviderRefusal

/** Whole millionths of a USD. Money is never a floating-point number. */
export type MicroUsd = number
