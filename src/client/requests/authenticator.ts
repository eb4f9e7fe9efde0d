import type { Auth } from '../../contract/endpoint/endpoint.ts'
import { controlHeader } from '../../contract/endpoint/headers.ts'
import { ClientFailure } from '../failures/client-failure.ts'

/** An API key, or a function that finds it. */
export type KeySource = string | (() => Promise<string | undefined>)

/** The credentials of a client. */
export interface AuthenticatorOptions {
  readonly key?: KeySource
  /**
   * Returns the key that has replaced one which the platform refuses, such as by `keys rotate` in another process; undefined
   * if there is none.
   */
  readonly replacedKey?: (refused: string) => Promise<string | undefined>
  /** Control token of a local platform. */
  readonly controlToken?: string
}

/**
 * Creates the authenticator that returns the credential header of an endpoint. The key is requested once, on first use, and
 * again when the platform refuses it.
 */
export function createAuthenticator({ key, replacedKey, controlToken }: AuthenticatorOptions): {
  headers(auth: Auth): Promise<Record<string, string>>
  /** Returns the credential header for a request whose own was refused with 401; undefined if there is no other key. */
  renewed(refused: Readonly<Record<string, string>>): Promise<Record<string, string> | undefined>
  secrets(): string[]
} {
  let known = typeof key === 'string' ? key : undefined

  async function bearer(): Promise<string> {
    if (known === undefined && typeof key === 'function') known = await key()
    if (!known)
      throw new ClientFailure({
        exit: 'auth',
        code: 'no_key',
        message: 'Missing API key for this platform.',
        hint: 'Sign in: parley login. Or set PARLEY_API_KEY.',
      })
    if (!/^[\x21-\x7e]+$/.test(known))
      throw new ClientFailure({
        exit: 'auth',
        code: 'invalid_key',
        message: 'The API key contains invalid characters, such as a space or a line break.',
        hint: 'Copy it again. API keys look like 12|AbCd…',
      })
    return known
  }

  return {
    async headers(auth) {
      if (auth === 'none') return {}
      if (auth === 'key') return { authorization: `Bearer ${await bearer()}` }
      if (!controlToken)
        throw new ClientFailure({
          exit: 'auth',
          code: 'no_control_token',
          message: 'This command requires a local platform or a control token, and this profile has neither.',
          hint: 'Pass --profile local, or start a server: parley server start.',
        })
      return { [controlHeader]: controlToken }
    },
    async renewed({ authorization }) {
      if (known === undefined || authorization === undefined) return undefined
      // Another request may have renewed it since.
      if (authorization === `Bearer ${known}`) {
        const key = await replacedKey?.(known)
        if (key === undefined) return undefined
        known = key
      }
      return { authorization: `Bearer ${await bearer()}` }
    },
    secrets: () => [known, controlToken].filter((it) => it !== undefined),
  }
}

/**
 * Returns the part of a key that identifies it without revealing it: the part before the bar, else the last four
 * characters. The journal and the cache of accounts have it: with another form, earlier operations of the account would
 * not be found.
 */
export const keyPrefix = (key: string): string => (key.includes('|') ? key.slice(0, key.indexOf('|')) : key.slice(-4))
