import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { user } from '../../../contract/resources/user.ts'
import type { Context } from '../../program/context.ts'
import { describeTime } from '../../program/output/time.ts'

/**
 * Resumes the account if it is still the same stop that was agreed to. @throws ClientFailure `conflict` if somebody resumed or
 * stopped it in the meantime
 */
export async function resumeAccount(context: Context, stoppedAt: string): Promise<void> {
  const { data: now } = await context.call(user.activity, {})
  if (now.stopped_at !== stoppedAt)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'stop_changed',
      message:
        now.stopped_at === null
          ? 'Somebody else has resumed the account in the meantime. Nothing was changed.'
          : `Somebody has stopped the account again (${describeTime(now.stopped_at)}). Nothing was continued.`,
      hint: 'Run the command again to see what is stopped now.',
      sent: false,
    })
  await context.call(user.resume, {})
}
