import type { Context } from '../../context.ts'
import { dataDir } from '../../folders.ts'
import { local } from '../../profiles.ts'
import { usage } from '../../usage.ts'

/** The data folder these commands work on. Another platform's accounts and clock are not ours to turn, unless its control token is given. */
export async function ownFolder(context: Context): Promise<string> {
  const { baseUrl, profileName } = await context.settings()
  const { env } = context.world
  if (baseUrl.value !== local.base_url && !env.PARLEY_CONTROL_TOKEN) {
    throw usage(
      `The profile "${profileName.value}" is a platform elsewhere; only one of your own can be controlled.`,
      'Add --profile local, or give its control token in PARLEY_CONTROL_TOKEN.',
    )
  }
  return dataDir(context.world)
}
