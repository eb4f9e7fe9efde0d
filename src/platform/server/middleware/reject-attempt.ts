import { Failure } from '../../../contract/errors/failures.ts'
import type { PlainRequest } from '../../../contract/mechanics/http-message.ts'
import type { Deps } from '../../services/runtime/deps.ts'

/**
 * Counts a request with a wrong key. Returns the failure to answer with: `otherwise`, or 429 with Retry-After after too
 * many from one address. Keys are random, so a right one is accepted even then. Callers in this process are not limited.
 */
export async function rejectAttempt(
  { attempts }: Pick<Deps, 'attempts'>,
  { remote }: PlainRequest,
  otherwise: Failure,
): Promise<Failure> {
  const seconds = remote && attempts ? (await attempts()).fail(remote.address, 'keys') : 0
  return seconds === 0
    ? otherwise
    : new Failure('throttled', { extra: { retry_after: seconds }, headers: { 'retry-after': String(seconds) } })
}
