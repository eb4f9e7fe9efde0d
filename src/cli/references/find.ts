import { ClientFailure } from '../../client/failure.ts'
import type { Thing } from '../../contract/references.ts'
import { gaveArgument } from '../answered.ts'
import { choices } from '../choices.ts'
import type { Context } from '../context.ts'
import { listing } from '../target.ts'
import { usage } from '../usage.ts'
import type { Account } from './account.ts'
import type { Item } from './links.ts'
import { targetFor } from './targets.ts'
import { itemsOf } from './uses.ts'

/** The one thing that is asked about: by its id, or a unique name, from its list; picked on a terminal where none is given. @throws ClientFailure `not_found`, `usage`, or why its list cannot be read */
export async function findThing(context: Context, account: Account, thing: Thing, given: string | undefined): Promise<Item> {
  const target = targetFor(thing)
  if (given === undefined && !context.interactive) throw usage(`Which ${target.thing}? Give its id or name.`, listing(target))
  const items = await itemsOf(account, thing)
  const [trouble] = account.troubles
  if (items.length === 0 && trouble) throw trouble.error
  if (given === undefined) {
    if (items.length === 0) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no ${target.thing} to choose from.` })
    const prompts = await context.prompts()
    const picked = await prompts.select(`Which ${target.thing}?`, choices(items, target.label as (it: Item) => string), { searchable: true })
    gaveArgument(context, String(picked.id))
    return picked
  }
  const isCalled = (value: unknown): boolean => String(value ?? '') === given || value === `+${given}`
  const byId = items.filter((it) => String(it.id) === given)
  const found = byId.length > 0 ? byId : (target.by.map((field) => items.filter((it) => isCalled(it[field]))).find((it) => it.length > 0) ?? [])
  if (found.length > 1) throw usage(`More than one ${target.thing} is called "${given}": ${found.map((it) => it.id).join(', ')}.`, 'Give the id.')
  if (!found[0]) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no ${target.thing} "${given}".`, hint: listing(target) })
  return found[0]
}
