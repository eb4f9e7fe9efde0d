import type { PlainRequest } from '../../../contract/mechanics/http-message.ts'
import type { AuthenticatedKey } from '../../services/runtime/api-keys.ts'
import type { Deps } from '../../services/runtime/deps.ts'

/** A response to a read, with what a request for it must do besides. */
export interface CachedResponse {
  readonly status: number
  readonly body: string
  readonly endpoint: string
  readonly isAssumed: boolean
  readonly owner: AuthenticatedKey
}

/** What the response to a request depends on: the caller, and what is read. */
const keyOf = ({ url, headers }: PlainRequest): string => `response ${url} ${headers.authorization}`

/** Returns the response to an identical earlier request, if no process has written since. */
export const findCachedResponse = (
  { connection }: Pick<Deps, 'connection'>,
  request: PlainRequest,
): CachedResponse | undefined =>
  request.method === 'GET' && request.headers.authorization !== undefined
    ? connection.cachedResult?.<CachedResponse>(keyOf(request))
    : undefined

/**
 * Caches the response to a request. `read` authenticates and reads again, from caches, so that what it returns belongs
 * to one state of the database. It returns undefined for what must not be cached.
 */
export function cacheResponse(
  { connection }: Pick<Deps, 'connection'>,
  request: PlainRequest,
  read: () => Promise<CachedResponse | undefined>,
): void {
  // A failed read is not cached. The request itself reports the failure.
  if (connection.cachedResult) connection.cachedRead(keyOf(request), read).catch(() => {})
}

/**
 * Reads whose response depends only on rows, not on the time, the host of the request or external services. The response
 * is cached until the next write. The local telephony provider stores its orders as rows.
 */
export const cacheableReads: ReadonlySet<string> = new Set([
  'keys.list',
  'knowledge.get',
  'numbers.search',
  'sipTrunks.get',
  'tools.get',
])
