import type { Context } from './context.ts'
import { dataDir } from './folders.ts'
import { local } from './profiles.ts'
import { usage } from './usage.ts'

/**
 * The data folder of the platform that is controlled. Another platform's accounts and clock are not ours to turn, unless its control token is given.
 * @throws ClientFailure `usage`, before any request
 */
export async function ownFolder(context: Context): Promise<string> {
  const { baseUrl } = await context.settings()
  const { world, words } = context
  if (baseUrl.value !== local.base_url && !world.env.PARLEY_CONTROL_TOKEN) {
    const back = baseUrl.from === '--base-url' ? 'Leave out --base-url' : baseUrl.from === 'PARLEY_BASE_URL' ? 'Unset PARLEY_BASE_URL' : 'Add --profile local'
    throw usage(
      `"parley ${words}" is for a platform of your own, and ${baseUrl.value} (from ${baseUrl.from}) is one elsewhere.`,
      `${back}, or give its control token in PARLEY_CONTROL_TOKEN.`,
    )
  }
  return dataDir(world)
}
