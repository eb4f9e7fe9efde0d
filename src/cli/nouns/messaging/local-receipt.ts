import { localProfile } from '../../program/configuration/profiles.ts'
import type { Context } from '../../program/context.ts'

/**
 * Returns which command reports the delivery of a message of the local platform, which no channel does; undefined elsewhere, and
 * for a message that is not on its way.
 */
export async function localReceipt(
  { connection }: Pick<Context, 'connection'>,
  status: unknown,
  message_sid?: unknown,
): Promise<string | undefined> {
  if ((status !== 'queued' && status !== 'sent') || (await connection()).platform !== localProfile.base_url)
    return undefined
  return `parley server simulate receipt --message-sid ${typeof message_sid === 'string' ? message_sid : '<message_sid>'} --status delivered`
}
