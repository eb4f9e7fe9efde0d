import { itemsOf } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices } from '../prompts/choices.ts'
import { pluralOf } from './resolve-target.ts'
import { wholeId } from './whole-id.ts'

/** A resource kind without names and with many records: prompts offer the latest ones. */
export interface LatestTarget<T> {
  readonly singular: string
  readonly list: Endpoint
  readonly id: (item: T) => string | number
  /** Form of a whole id, if the ids are so long that tables shorten them. */
  readonly whole?: RegExp
  /** The label in a prompt. */
  readonly label: (item: T) => string
}

/**
 * Returns the given id. Without one, prompts with the latest hundred. @throws ClientFailure `usage` without a terminal
 */
export async function resolveLatest<T>(
  context: Context,
  given: string | undefined,
  { singular, list, id, label, whole }: LatestTarget<T>,
): Promise<string> {
  if (given !== undefined && given !== '') return whole ? wholeId(context, given, { singular, list, whole }) : given
  const hint = `List ${pluralOf(singular)}: parley ${list.name.replace('.', ' ')}.`
  if (!context.interactive) throw usageError(`Missing ${singular} id.`, hint)
  const items = itemsOf(list, await context.call(list, { per_page: 100 })) as readonly T[]
  if (items.length === 0) throw usageError(`No ${pluralOf(singular)} to choose from.`, hint)
  const prompts = await context.prompts()
  const picked = String(
    id(await prompts.select(`Which ${singular}?`, promptChoices(items, label), { searchable: true })),
  )
  context.promptAnswers.push({ argument: picked })
  return picked
}
