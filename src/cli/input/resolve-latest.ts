import { itemsOf } from '../../client/paginate.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices } from '../prompts/choices.ts'

/** Things of which there may be millions: they have no names, and are picked among the latest. */
export interface LatestTarget<T> {
  readonly singular: string
  readonly list: Endpoint
  readonly id: (item: T) => string | number
  /** The line a picker shows. */
  readonly label: (item: T) => string
}

/** The id of what an argument means: itself. Nothing given: picked among the latest hundred on a terminal, exit 2 elsewhere. */
export async function resolveLatest<T>(
  context: Context,
  given: string | undefined,
  { singular, list, id, label }: LatestTarget<T>,
): Promise<string> {
  if (given !== undefined && given !== '') return given
  const hint = `List them: parley ${list.name.replace('.', ' ')}.`
  if (!context.interactive) throw usageError(`Which ${singular}? Give its id.`, hint)
  const items = itemsOf(list, await context.call(list, { per_page: 100 } as never)) as readonly T[]
  if (items.length === 0) throw usageError(`There is no ${singular} to choose from.`, hint)
  const prompts = await context.prompts()
  const picked = String(
    id(await prompts.select(`Which ${singular}?`, promptChoices(items, label), { searchable: true })),
  )
  context.promptAnswers.push({ argument: picked })
  return picked
}
