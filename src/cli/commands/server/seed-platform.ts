import type { platform } from '../../../contract/control/platform.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import { sendRequest } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import type { View } from '../../output/form.ts'
import { parseSeed } from './start-settings.ts'

interface SeedResult {
  readonly message: string
  readonly key: string
}

export const view: View<SeedResult> = {
  id: (it) => it.key,
  columns: [
    { key: 'message', title: 'Result', priority: 1 },
    { key: 'key', title: 'Key', priority: 1 },
  ],
  empty: '',
}

/**
 * Seeds or resets the local platform and prints the new key. A platform created by this command starts empty, so that
 * `--seed` takes effect.
 */
export async function seedPlatform(
  context: Context,
  endpoint: typeof platform.seed | typeof platform.reset,
  seed: unknown,
): Promise<void> {
  await requireControlAccess(context)
  const answer = await sendRequest(context, endpoint, seed === undefined ? {} : { seed: parseSeed(seed) })
  if (answer) await context.out.record<SeedResult>({ message: answer.message, key: answer.token }, { view })
}
