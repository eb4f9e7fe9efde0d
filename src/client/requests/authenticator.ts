import type { Auth } from '../../contract/mechanics/endpoint.ts'
import { ClientFailure } from '../failures/client-failure.ts'

export type KeySource = string | (() => Promise<string | undefined>)

export interface AuthenticatorOptions {
  readonly key?: KeySource
  /** Of a local platform; only there. */
  readonly controlToken?: string
}

/** Gives the credential header an endpoint asks for. The key is asked for at first need and once. */
export function createAuthenticator({ key, controlToken }: AuthenticatorOptions): {
  headers(auth: Auth): Promise<Record<string, string>>
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
      return { 'parley-control': controlToken }
    },
    secrets: () => [known, controlToken].filter((it) => it !== undefined),
  }
}

/** What tells keys apart without telling them: the part before the bar is no secret. */
export const keyPrefix = (key: string): string => (key.includes('|') ? key.slice(0, key.indexOf('|')) : key.slice(-4))
