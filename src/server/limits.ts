import { Failure } from '../contract/errors.ts'
import { type Micros, second } from '../events/clock.ts'
import type { Deps } from '../services/deps.ts'
import { countRequest } from '../store/limits.ts'

/** At most `max` requests in a window of `seconds`, per account over all its keys and all processes. */
export interface Limit {
  readonly name: string
  readonly max: number
  readonly seconds: number
}

/** Counts the request; answers the headers that tell how much is left. @throws Failure 429 with Retry-After */
export async function count({ connection, clock }: Deps, account: number, limit: Limit): Promise<Record<string, string>> {
  const window: Micros = limit.seconds * second
  const { used, now, frozen } = await connection.write(async (query) => {
    const { now, frozen } = await clock.read(query)
    return { used: await countRequest(query, account, limit.name, now - (now % window)), now, frozen }
  })
  const headers = { 'x-ratelimit-limit': String(limit.max), 'x-ratelimit-remaining': String(Math.max(0, limit.max - used)) }
  if (used <= limit.max) return headers
  const wait = Math.max(1, Math.ceil((window - (now % window)) / second))
  throw new Failure('throttled', {
    extra: { retry_after: wait },
    headers: { ...headers, 'retry-after': String(wait), ...(frozen && { 'parley-clock': 'frozen' }) },
  })
}
