import { itemsOf } from '../client/pages.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { choices } from './choices.ts'
import type { Context } from './context.ts'
import { usage } from './usage.ts'

/** Things of which there may be millions: they have no names, and are picked among the latest. */
export interface Latest<T> {
  readonly thing: string
  readonly list: Endpoint
  readonly id: (item: T) => string | number
  /** The line a picker shows. */
  readonly label: (item: T) => string
}

/** The id of what an argument means: itself. Nothing given: picked among the latest hundred on a terminal, exit 2 elsewhere. */
export async function resolveLatest<T>(context: Context, given: string | undefined, { thing, list, id, label }: Latest<T>): Promise<string> {
  if (given !== undefined && given !== '') return given
  const hint = `List them: parley ${list.name.replace('.', ' ')}.`
  if (!context.interactive) throw usage(`Which ${thing}? Give its id.`, hint)
  const items = itemsOf(list, await context.call(list, { per_page: 100 } as never)) as readonly T[]
  if (items.length === 0) throw usage(`There is no ${thing} to choose from.`, hint)
  const prompts = await context.prompts()
  const picked = String(id(await prompts.select(`Which ${thing}?`, choices(items, label), { searchable: true })))
  context.answered.push({ argument: picked })
  return picked
}
