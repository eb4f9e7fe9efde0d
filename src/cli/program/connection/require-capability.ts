import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { platformAtStart } from '../../../client/failures/platform-name.ts'
import { capabilityOf } from '../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { Capability } from '../../../contract/resources/index.ts'
import { fieldFlags } from '../commandline/field-flags.ts'
import type { Context } from '../context.ts'
import { isRecordedWrite, readBeforeWrite } from '../history/undo-unavailable.ts'

/**
 * Refuses an endpoint whose capability the platform does not list, and fields of the input whose capability it does not
 * list, before the endpoint is called. `part` is the flag that requires the endpoint (default: the command). A command that has another way checks `context.supports` first.
 * @throws ClientFailure `usage` (2) with the code `not_offered`, which `isNotOffered` and account-reader.ts recognize
 */
export async function requireCapability(
  context: Context,
  endpoint: Endpoint,
  input: object = {},
  part?: string,
): Promise<void> {
  const parleyServer = 'a Parley server, such as the local platform: --profile local.'
  if (endpoint.capability !== undefined && !(await isOffered(context, endpoint.capability)))
    throw await notOffered(
      context,
      endpoint.capability,
      part === undefined
        ? { hint: context.command.elsewhere ?? `Use ${parleyServer}` }
        : { part, hint: `Remove ${part}, or use ${parleyServer}` },
    )
  const fields = { ...endpoint.query?.shape, ...endpoint.body?.shape } as Record<string, z.ZodType>
  for (const [field, value] of Object.entries(input)) {
    const schema = value === undefined ? undefined : fields[field]
    const capability = schema && capabilityOf(schema)
    if (capability === undefined || (await isOffered(context, capability))) continue
    const flag = fieldFlags(context.command).find((it) => it.schema === schema)
    const name = flag?.long ?? `"${field}"`
    throw await notOffered(context, capability, { part: name, hint: `Remove ${name}, or use ${parleyServer}` })
  }
}

/** Returns whether the platform lists a capability. */
async function isOffered(context: Context, capability: string): Promise<boolean> {
  const read = (): Promise<boolean> => context.supports(capability as Capability, true)
  // Without an answer, the request itself shows whether the platform has the endpoint.
  if (context.command.reducesHarm) return read().catch(() => !context.system.signal.aborted)
  return isRecordedWrite(context) ? readBeforeWrite('list of capabilities', read, '') : read()
}

/** Returns the failure of a command that requires a capability. `part` is the field or flag that requires it (default: all). */
async function notOffered(
  context: Context,
  capability: string,
  { part, hint }: { readonly part?: string; readonly hint: string },
): Promise<ClientFailure> {
  const { baseUrl } = await context.settings()
  return new ClientFailure({
    exit: 'usage',
    code: 'not_offered',
    message: `${platformAtStart(baseUrl.value)} does not have the capability "${capability}", which ${part === undefined ? '' : `${part} of `}"parley ${context.commandName}" requires.`,
    hint,
  })
}
