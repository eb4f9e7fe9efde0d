import type { Call } from '../../../client/create-client.ts'
import { user } from '../../../contract/resources/user.ts'
import { describeTime } from '../output/time.ts'

/**
 * Returns since when a platform with the capability "stop" has stopped everything of the account; null if nothing is stopped, or
 * if it cannot be read.
 */
export async function readStopTime(call: Call, signal: AbortSignal): Promise<string | null> {
  const stoppedAt = await call(user.activity, {}, { signal }).then(
    ({ data }) => data.stopped_at,
    () => null,
  )
  signal.throwIfAborted()
  return typeof stoppedAt === 'string' ? stoppedAt : null
}

/** Says since when everything of the account is stopped, as a clause. */
export const describeStopTime = (stoppedAt: string): string =>
  `Everything of this account is stopped since ${describeTime(stoppedAt)}`
