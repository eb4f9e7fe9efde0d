import { crypto } from '../node/crypto.ts'

/** Milliseconds for which a code can be used, and a session that nothing uses is valid. */
const codeLifetimeMs = 5 * 60_000
const sessionLifetimeMs = 12 * 3600_000
/** Maximum codes and sessions; the oldest end first. */
const maxEntries = 50

/** Codes that sign in once, and the sessions they are exchanged for. Both are secrets of this process. */
export interface SignIn {
  /** Creates a code that is valid once, for 5 minutes. */
  createCode(): string
  /** Returns the token of a new session; undefined for a wrong, used or expired code. */
  exchange(code: string): string | undefined
  /** Returns whether a token is of a session. */
  isSignedIn(token: string | undefined): boolean
}

/** Creates the sign-in of an inspector. `now` returns milliseconds. */
export function createSignIn(now: () => number): SignIn {
  const codes = new Map<string, number>()
  const sessions = new Map<string, number>()
  // Secrets are found by their hash, so that the time it takes reveals nothing about them.
  const hashOf = (text: string): string => crypto().createHash('sha256').update(text).digest('base64url')
  const add = (to: Map<string, number>, lifetimeMs: number): string => {
    const secret = crypto().randomBytes(32).toString('base64url')
    for (const [hash, until] of to) if (until <= now() || to.size >= maxEntries) to.delete(hash)
    to.set(hashOf(secret), now() + lifetimeMs)
    return secret
  }
  const isValid = (of: Map<string, number>, hash: string): boolean => (of.get(hash) ?? 0) > now()
  return {
    createCode: () => add(codes, codeLifetimeMs),
    exchange(code) {
      const hash = hashOf(code)
      const isKnown = isValid(codes, hash)
      codes.delete(hash)
      return isKnown ? add(sessions, sessionLifetimeMs) : undefined
    },
    isSignedIn(token) {
      if (token === undefined) return false
      const hash = hashOf(token)
      if (!isValid(sessions, hash)) return false
      sessions.delete(hash)
      sessions.set(hash, now() + sessionLifetimeMs)
      return true
    },
  }
}
