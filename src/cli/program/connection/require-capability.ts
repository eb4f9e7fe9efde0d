import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { platformAtStart } from '../../../client/failures/platform-name.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { dataDir } from '../configuration/app-folders.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { isRecordedWrite, readBeforeWrite } from '../history/undo-unavailable.ts'

/**
 * Refuses an endpoint whose capability the platform does not list, before it is called. A command that has another way
 * checks `context.supports` first.
 * @throws ClientFailure `usage` (2) with the code `not_offered`
 */
export async function requireCapability(context: Context, { capability }: Endpoint): Promise<void> {
  if (capability === undefined) return
  const isOffered = (): Promise<boolean> => context.supports(capability, true)
  if (context.command.reducesHarm) {
    // Without an answer, the request itself shows whether the platform has the endpoint.
    if (await isOffered().catch(() => !context.system.signal.aborted)) return
  } else if (await (isRecordedWrite(context) ? readBeforeWrite('list of capabilities', isOffered, '') : isOffered()))
    return
  const { baseUrl } = await context.settings()
  throw new ClientFailure({
    exit: 'usage',
    code: 'not_offered',
    message: `${platformAtStart(baseUrl.value)} does not have the capability "${capability}", which "parley ${context.commandName}" requires.`,
    hint: context.command.elsewhere ?? 'Use a Parley server, such as the local platform: --profile local.',
  })
}

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
