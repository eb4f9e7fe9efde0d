import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { senderPathOf } from '../../../contract/references/reference-paths.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { FieldFlag } from '../commandline/field-flags.ts'
import type { Context } from '../context.ts'
import { targetOfKind } from '../dependencies/resource-targets.ts'
import { usageError } from '../errors/usage-error.ts'
import { resourceOfFlag, resources } from '../resources/registry.ts'
import type { ListedItem, Target } from '../resources/resource.ts'
import { isName } from './ids.ts'
import { listItems, pluralOf, selectItem } from './resolve-target.ts'

type Fields = Record<string, unknown>

/**
 * Replaces the names in fields that hold ids, wherever the fields were passed: as flags, with --set, --data or --file.
 * Reads each list once. @throws ClientFailure `not_found` for an unknown name, `usage` for an ambiguous one
 */
export async function resolveFieldNames(
  context: Context,
  flags: readonly FieldFlag[],
  input: Readonly<Fields>,
): Promise<Fields> {
  const resolved: Fields = { ...input }
  for (const flag of flags) {
    const target = await targetOf(flag, resolved)
    if (!target) continue
    const takesNumbers = target.by.includes('phone_number')
    let items: Promise<readonly ListedItem[]> | undefined
    const idOf = async (value: unknown): Promise<unknown> => {
      if (!isName(value) || (typeof value === 'number' && !takesNumbers)) return value
      items ??= readCandidates(context, target, flag)
      return (await selectItem(context, await items, String(value), target)).id
    }
    const value = resolved[flag.field]
    resolved[flag.field] = Array.isArray(value) ? await Promise.all(value.map(idOf)) : await idOf(value)
  }
  return resolved
}

/** Returns how the resource of a flag is found. Templates are those of the sender beside them. Undefined without names. */
async function targetOf({ field, long }: FieldFlag, input: Readonly<Fields>): Promise<Target | undefined> {
  const resource = resourceOfFlag(long)
  if (long === '--account') return (await import('../dependencies/account-target.ts')).accountTarget
  if (resource === 'templates') {
    const sender = input[senderPathOf(field)]
    if (typeof sender !== 'number')
      throw usageError(
        `${long} "${input[field]}" is a name, and templates have their names within a sender.`,
        `Pass ${long.replace('template', 'sender')}, or the id of the template.`,
      )
    return (await resources.templates.loadTargetWithin?.())?.(sender)
  }
  if (resource === undefined) return undefined
  return targetOfKind(resource as ResourceKind)
}

/** Reads the resources that a field can reference, which may take several queries. An item of several is one. */
async function readCandidates(
  context: Context,
  target: Target,
  { field, long }: FieldFlag,
): Promise<readonly ListedItem[]> {
  const resource = resourceOfFlag(long)
  const queries = (resource && resources[resource].listQueries?.(field)) ?? [{}]
  const items = new Map<ListedItem['id'], ListedItem>()
  try {
    for (const query of queries)
      for (const item of await listItems(context, { ...target, within: { ...target.within, ...query } }))
        items.set(item.id, item)
  } catch (error) {
    if (!(error instanceof ClientFailure) || (error.status !== 404 && error.status !== 405)) throw error
    throw usageError(
      `${long} takes only ids on this platform, because it does not list ${pluralOf(target.singular)}.`,
      'Pass the id.',
    )
  }
  return [...items.values()]
}
