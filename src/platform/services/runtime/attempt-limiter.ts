/** Limits failed attempts to authenticate, by client address. Held in memory, so each server has its own. */
export interface AttemptLimiter {
  /** Counts a failed attempt. Returns the seconds to wait; 0 while attempts are left. */
  fail(address: string, scope: string): number
  /** Returns the seconds until the next attempt is allowed; 0 if it is allowed now. */
  waitOf(address: string, scope: string): number
  /** Remembers a credential that was accepted, so that it is never limited. */
  accept(credential: string): void
  isAccepted(credential: string): boolean
}

/** Failed attempts that are allowed at once, and seconds until one more is allowed. */
const maxAttempts = 20
const secondsPerAttempt = 3
const maxRemembered = 10_000

/** Creates a limiter. `wall` returns the wall time in milliseconds, because a frozen clock would block for ever. */
export function createAttemptLimiter(wall: () => number): AttemptLimiter {
  /** Attempts used, and when they were counted. They decrease with time. */
  const used = new Map<string, { readonly attempts: number; readonly at: number }>()
  const accepted = new Set<string>()

  const attemptsOf = (key: string, now: number): number => {
    const counted = used.get(key)
    return counted ? Math.max(0, counted.attempts - Math.max(0, now - counted.at) / 1000 / secondsPerAttempt) : 0
  }
  const secondsLeft = (attempts: number): number =>
    attempts <= maxAttempts ? 0 : Math.max(1, Math.ceil((attempts - maxAttempts) * secondsPerAttempt))

  return {
    fail(address, scope) {
      const key = `${scope} ${networkOf(address)}`
      const now = wall()
      // One more than allowed at most, so that attempts while limited do not prolong the wait without end.
      const attempts = Math.min(maxAttempts + 1, attemptsOf(key, now) + 1)
      used.delete(key)
      used.set(key, { attempts, at: now })
      evict(used)
      return secondsLeft(attempts)
    },
    waitOf(address, scope) {
      const attempts = attemptsOf(`${scope} ${networkOf(address)}`, wall())
      return attempts < maxAttempts ? 0 : secondsLeft(attempts + 1)
    },
    accept(credential) {
      accepted.add(credential)
      evict(accepted)
    },
    isAccepted: (credential) => accepted.has(credential),
  }
}

/** Drops the oldest entry of a collection that is full. */
function evict(entries: Map<string, unknown> | Set<string>): void {
  const [oldest] = entries.keys()
  if (entries.size > maxRemembered && oldest !== undefined) entries.delete(oldest)
}

/** Returns the network that one client can have all addresses of: /64 with IPv6. */
export const networkOf = (address: string): string =>
  address.includes(':') && !address.includes('.') ? expandGroups(address).slice(0, 4).join(':') : address

function expandGroups(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  if (tail === undefined) return left
  const right = tail === '' ? [] : tail.split(':')
  return [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
}
