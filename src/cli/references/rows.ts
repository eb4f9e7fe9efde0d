import type { Thing } from '../../contract/references.ts'
import type { Context } from '../context.ts'
import { type Account, accountOf } from './account.ts'
import { findThing } from './find.ts'
import { type Item, isObject, type Link, linksOf } from './links.ts'
import { lossOf } from './losses.ts'
import { things } from './things.ts'
import { targetOf, usesOf } from './uses.ts'

/** One reference, seen from the thing that was asked about. */
export interface Row {
  readonly direction: 'used_by' | 'uses'
  /** The noun of what is at the other end. */
  readonly noun: string
  readonly kind: string
  readonly id: number | string | null
  /** Its name; an expression where one stands for it. */
  readonly name: string | null
  /** The field that points, of whichever end it is. */
  readonly field: string
  /** Whether something works through it now; null for what it points to. */
  readonly live: boolean | null
  readonly state: 'there' | 'missing' | 'unknown'
  /** What is lost when the thing that was asked about goes; a sentence. */
  readonly loss: string | null
}

const nameIn = (it: Item): string | null => {
  const found = [it.name, it.phone_number, it.display_name].find((value) => typeof value === 'string' && value !== '')
  return found === undefined ? null : String(found)
}

/** References of one thing, both ways or one: what points to it first. */
export async function rowsOf(
  context: Context,
  given: Thing,
  argument: string | undefined,
  only: { readonly uses: boolean; readonly usedBy: boolean },
): Promise<{ readonly rows: readonly Row[]; readonly account: Account }> {
  const account = accountOf(context.call, context.world.signal)
  const it = await findThing(context, account, given, argument)
  // A trunk is pointed to as the number it is.
  const thing = given === 'sipTrunks' ? 'numbers' : given
  const usedBy = only.uses ? [] : await incoming(account, thing, it)
  const uses = only.usedBy ? [] : await outgoing(context, account, thing, it)
  return { rows: [...usedBy, ...uses], account }
}

const from = (link: Link): Pick<Row, 'direction' | 'noun' | 'kind' | 'id' | 'name' | 'field'> => {
  const { noun, one } = things[link.from]
  return { direction: 'used_by', noun, kind: one, id: link.item.id as number | string, name: nameIn(link.item), field: link.path }
}

async function incoming(account: Account, thing: Thing, it: Item): Promise<Row[]> {
  const { certain, possible } = await usesOf(account, thing, it)
  return [
    ...certain.map(({ link, live }): Row => ({ ...from(link), live, state: 'there', loss: lossOf(link, it) ?? null })),
    ...possible.map((link): Row => ({ ...from(link), name: `${nameIn(link.item)}: ${link.expression}`, live: null, state: 'unknown', loss: null })),
  ]
}

async function outgoing(context: Context, account: Account, thing: Thing, it: Item): Promise<Row[]> {
  const links = linksOf(thing, it)
  const { base } = await context.connected()
  const origin = URL.canParse(base) ? new URL(base).origin : undefined
  return Promise.all(
    links.map(async (link): Promise<Row> => {
      const { noun, one } = things[link.to]
      const found = await targetOf(account, link, origin)
      const state = isObject(found) ? 'there' : found
      const id = isObject(found) ? (found.id as number | string) : (link.id ?? null)
      return {
        direction: 'uses',
        noun,
        kind: one,
        id,
        name: isObject(found) ? nameIn(found) : (link.expression ?? null),
        field: link.path,
        live: null,
        state,
        loss: null,
      }
    }),
  )
}
