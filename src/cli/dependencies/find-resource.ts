import type { ResourceKind } from '../../contract/references/resource-references.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { type ListedItem, listHint, selectItem } from '../input/resolve-target.ts'
import type { AccountReader } from './account-reader.ts'
import type { LinkedItem } from './resource-links.ts'
import { targetOfKind } from './resource-targets.ts'
import { itemsOfKind } from './usages.ts'

/**
 * Finds a resource in its list by id or unique name. On a terminal without either, prompts for one. @throws
 * ClientFailure `not_found`, `usage`, or the error of reading the list
 */
export async function findResource(
  context: Context,
  account: AccountReader,
  resourceKind: ResourceKind,
  given: string | undefined,
): Promise<LinkedItem> {
  const target = await targetOfKind(resourceKind)
  if (given === undefined && !context.interactive)
    throw usageError(`Missing ${target.singular}. Pass its id or name.`, listHint(target))
  const items = await itemsOfKind(account, resourceKind)
  const [trouble] = account.failures
  if (items.length === 0 && trouble) throw trouble.error
  const listed = items as readonly ListedItem[]
  return listed.find((it) => String(it.id) === given) ?? selectItem(context, listed, given, target)
}
