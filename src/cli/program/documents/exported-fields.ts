import { type Endpoint, inapplicableFields } from '../../../contract/endpoint/endpoint.ts'
import { readOnlyFields } from '../../../contract/endpoint/read-only-fields.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import type { CommandInput, DocumentParser } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { resources } from '../resources/registry.ts'
import type { ResourceName } from '../resources/resource.ts'
import type { ResourceFiles } from '../resources/resource-files.ts'
import { resolveReferences } from './environment-secrets.ts'
import { replaceNamesWithIds, unresolvedNameError } from './name-references.ts'
import { ResourceNames } from './resource-names.ts'

interface ExportedResource {
  /** The resource, which registers how it is written to files. */
  readonly kind: ResourceName
  readonly update: Endpoint
  /** Read-only fields beyond those derived from the contract of the update. */
  readonly readOnly?: readonly string[]
  /** A record becomes a new resource: fields that do not apply to the record are left out. */
  readonly isNew?: boolean
  /** Keeps read-only fields in the request, so that the update can detect whether they were edited. */
  readonly keepsReadOnly?: boolean
}

/**
 * Returns a parser for documents that `pull` wrote or `get` printed. It replaces names by ids and references such as
 * `${CRM_KEY}` by values of the environment. It removes read-only fields, and lists them with --verbose.
 */
export const exportedFieldsParser =
  ({ kind, update, readOnly = [], isNew = false, keepsReadOnly = false }: ExportedResource): DocumentParser =>
  async (context, document, where) => {
    if (!isObject(document))
      throw usageError(`${where} must contain an object with fields.`, "Pass JSON or YAML: '{name: value}'.")
    const readOnlyNames = new Set(['id', ...readOnly, ...readOnlyFields(update)])
    const dropped = Object.keys(document).filter((name) => readOnlyNames.has(name))
    const resourceFiles = await loadFiles(kind)
    // A field that files may have does not tell that the document is a record of the platform.
    const isRecord = dropped.some((name) => !Object.hasOwn(resourceFiles.documentSchema.shape, name))
    if (dropped.length > 0 && !keepsReadOnly && context.globals.verbose)
      await context.notes.note(`Not sent, read-only: ${dropped.join(', ')}.`)
    const writable = keepsReadOnly
      ? { ...document }
      : Object.fromEntries(Object.entries(document).filter(([name]) => !readOnlyNames.has(name)))
    const { conditionalFields: table } = update
    const outside = isRecord && isNew && table ? inapplicableFields(table, document[table.by]) : []
    // YAML keeps the word `null`.
    const ignored = outside.filter((name) => String(writable[name] ?? null) !== 'null')
    if (ignored.length > 0)
      await context.notes.note(
        `Not sent, without effect with ${table?.by} ${document[String(table?.by)]}: ${ignored.join(', ')}.`,
      )
    for (const name of ignored) delete writable[name]
    const named = await resolveNames(context, resourceFiles, writable, where)
    if (isRecord) return named
    return resolveReferences(named, '', { env: context.system.env, file: where }) as CommandInput
  }

async function loadFiles(name: ResourceName): Promise<ResourceFiles> {
  const kind = await resources[name].loadFiles?.()
  if (!kind) throw new TypeError(`"${name}" is not written to files.`)
  return kind
}

async function resolveNames(
  context: Context,
  kind: ResourceFiles,
  fields: CommandInput,
  where: string,
): Promise<CommandInput> {
  const named = await replaceNamesWithIds(new ResourceNames(context), kind, fields, where, (reference) => {
    throw unresolvedNameError(where, reference)
  })
  return ((await kind.toRequest?.(context, named)) ?? named) as CommandInput
}
