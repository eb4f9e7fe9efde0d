import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { readOnlyFields } from '../../contract/mechanics/read-only-fields.ts'
import type { CommandInput, DocumentParser } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { isObject } from '../secrets/masked-values.ts'
import type { FileKind } from './kinds/file-kind.ts'

interface ExportedResource {
  readonly kind: () => Promise<FileKind>
  readonly update: Endpoint
  /** Fields that only the platform sets, beside those that the contract's update shows. */
  readonly readOnly?: readonly string[]
  /** Leaves fields that only the platform sets to the update, which tells when somebody edited one. */
  readonly keepsReadOnly?: boolean
}

/**
 * Reads a document that `pull` wrote or `get` printed: names become ids, references such as `${CRM_KEY}` what the environment has, and what only the
 * platform sets is left out, which --verbose tells.
 */
export const exportedFieldsParser =
  ({ kind, update, readOnly = [], keepsReadOnly = false }: ExportedResource): DocumentParser =>
  async (context, document, where) => {
    if (!isObject(document))
      throw usageError(`${where} must contain an object with fields.`, "Pass JSON or YAML: '{name: value}'.")
    const readOnlyNames = new Set(['id', ...readOnly, ...readOnlyFields(update)])
    const dropped = Object.keys(document).filter((name) => readOnlyNames.has(name))
    const isRecord = dropped.length > 0
    if (isRecord && !keepsReadOnly && context.globals.verbose)
      await context.notes.note(`Not sent, read-only: ${dropped.join(', ')}.`)
    const writable = keepsReadOnly
      ? { ...document }
      : Object.fromEntries(Object.entries(document).filter(([name]) => !readOnlyNames.has(name)))
    const named = await resolveNames(context, await kind(), writable, where)
    if (isRecord) return named
    const { resolveReferences } = await import('./environment-secrets.ts')
    return resolveReferences(named, '', { env: context.world.env, file: where }) as CommandInput
  }

async function resolveNames(
  context: Context,
  kind: FileKind,
  fields: CommandInput,
  where: string,
): Promise<CommandInput> {
  const [{ replaceNamesWithIds }, { ResourceNames }] = await Promise.all([
    import('./name-references.ts'),
    import('./resource-names.ts'),
  ])
  return (await replaceNamesWithIds(new ResourceNames(context), kind, fields, where, ({ to, name, path }) => {
    throw usageError(`${where}: ${path}: "${name}" not found in ${to}.`, 'Use the name of one that exists, or its id.')
  })) as CommandInput
}
