import type { CommandInput } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'

/**
 * Replaces names in a request by ids, for files that `pull` wrote. Sends requests only if there are names. Unknown names
 * that the platform accepts stay. @throws ClientFailure `usage` for an unknown or ambiguous name
 */
export async function resolveFlowNames(context: Context, fields: CommandInput, file: unknown): Promise<CommandInput> {
  const [{ replaceNamesWithIds, unresolvedNameError }, { ResourceNames }, { automations }] = await Promise.all([
    import('../../program/documents/name-references.ts'),
    import('../../program/documents/resource-names.ts'),
    import('../automations/file-kind.ts'),
  ])
  const where = typeof file === 'string' ? file : 'the definition'
  return (await replaceNamesWithIds(new ResourceNames(context), automations, fields, where, (it) => {
    if (!it.takesName) throw unresolvedNameError(where, it)
  })) as CommandInput
}
