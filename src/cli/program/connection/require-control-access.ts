import { dataDir } from '../configuration/app-folders.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'

/**
 * Returns the data folder of the controlled platform. Control commands work only on the local platform, or with the
 * control token of a remote deployment.
 *
 * @throws ClientFailure `usage`, before any request
 */
export async function requireControlAccess(context: Context): Promise<string> {
  const { baseUrl } = await context.settings()
  const { system, commandName, command } = context
  if (command.worksWithoutControl) return dataDir(system)
  if (baseUrl.value !== localProfile.base_url && !system.env.PARLEY_CONTROL_TOKEN) {
    const remedy =
      baseUrl.from === '--base-url'
        ? 'Remove --base-url'
        : baseUrl.from === 'PARLEY_BASE_URL'
          ? 'Unset PARLEY_BASE_URL'
          : 'Pass --profile local'
    throw usageError(
      `"parley ${commandName}" works only on the local platform, but ${baseUrl.value} (from ${baseUrl.from}) is a remote deployment.`,
      `${remedy}, or set PARLEY_CONTROL_TOKEN to its control token.`,
    )
  }
  return dataDir(system)
}

/** Returns where the controlled platform is, for questions: `in /data`, or `at https://platform.example`. */
export async function describeControlled(context: Context): Promise<string> {
  const { baseUrl } = await context.settings()
  return baseUrl.value === localProfile.base_url ? `in ${dataDir(context.system)}` : `at ${baseUrl.value}`
}
