import type { Call } from '../../../client/create-client.ts'
import { user } from '../../../contract/resources/user.ts'
import { describeTime } from '../output/time.ts'

/**
 * Returns since when a platform with the capability "stop" has stopped everything of the account, as a clause; undefined if
 * nothing is stopped, or if it cannot be read.
 */
export async function describeStop(call: Call, signal: AbortSignal): Promise<string | undefined> {
  const stoppedAt = await call(user.activity, {}, { signal }).then(
    ({ data }) => data.stopped_at,
    () => null,
  )
  signal.throwIfAborted()
  return typeof stoppedAt === 'string'
    ? `Everything of this account is stopped since ${describeTime(stoppedAt)}`
    : undefined
}
