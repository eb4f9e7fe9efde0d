import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { ResourceKind } from '../../contract/resources/resource-references.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { listHint, pluralOf } from '../input/resolve-target.ts'
import { promptChoices } from '../prompts/choices.ts'
import { recordArgument } from '../prompts/equivalent-command.ts'
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
  if (given === undefined) {
    if (items.length === 0)
      throw new ClientFailure({
        exit: 'not_found',
        code: 'not_found',
        message: `No ${pluralOf(target.singular)} found.`,
      })
    const prompts = await context.prompts()
    const picked = await prompts.select(
      `Which ${target.singular}?`,
      promptChoices(items, target.label as (it: LinkedItem) => string),
      { searchable: true },
    )
    recordArgument(context, String(picked.id))
    return picked
  }
  const isNamed = (value: unknown): boolean => String(value ?? '') === given || value === `+${given}`
  const byId = items.filter((it) => String(it.id) === given)
  const found =
    byId.length > 0
      ? byId
      : (target.by.map((field) => items.filter((it) => isNamed(it[field]))).find((it) => it.length > 0) ?? [])
  if (found.length > 1)
    throw usageError(
      `Several ${pluralOf(target.singular)} are named "${given}": ${found.map((it) => it.id).join(', ')}.`,
      'Pass the id.',
    )
  if (!found[0])
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `No ${target.singular} "${given}" found.`,
      hint: listHint(target),
    })
  return found[0]
}
