import type { CommandInput } from '../../../program/commandline/command.ts'
import type { Context } from '../../../program/context.ts'
import { replaceNamesWithIds, unresolvedNameError } from '../../../program/documents/name-references.ts'
import { ResourceNames } from '../../../program/documents/resource-names.ts'
import { automations } from '../files.ts'

/**
 * Replaces names in a request by ids, for files that `pull` wrote. Sends requests only if there are names. Unknown names
 * that the platform accepts stay. @throws ClientFailure `usage` for an unknown or ambiguous name
 */
export async function resolveFlowNames(context: Context, fields: CommandInput, file: unknown): Promise<CommandInput> {
  const where = typeof file === 'string' ? file : 'the definition'
  return (await replaceNamesWithIds(new ResourceNames(context), automations, fields, where, (reference) => {
    if (!reference.takesName) throw unresolvedNameError(where, reference)
  })) as CommandInput
}
