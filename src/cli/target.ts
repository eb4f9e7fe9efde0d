import { ClientFailure } from '../client/failure.ts'
import { pages } from '../client/pages.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { choices } from './choices.ts'
import type { Context } from './context.ts'
import { usage } from './usage.ts'

type Item = Record<string, unknown> & { readonly id: number | string }

export interface Target {
  /** `tool`, `key`: for messages. */
  readonly thing: string
  /** The list it is found in by name. */
  readonly list: Endpoint
  /** What the list itself has to be asked with: the knowledge base of a document. */
  readonly within?: Readonly<Record<string, unknown>>
  /** The command that lists them; the endpoint's name unless given. */
  readonly listed?: string
  /** Fields that may name it, tried in turn: `name`, `phone_number`, `nickname`. */
  readonly by: readonly string[]
  /** The line a picker shows. */
  readonly label: (item: Item) => string
}

/** The id of what an argument means: an id, or a unique name. Nothing given: picked on a terminal, exit 2 elsewhere. */
export async function resolveId(context: Context, given: string | undefined, target: Target): Promise<number> {
  if (given !== undefined && isId(given, target)) return Number(given)
  if (given === undefined && !context.interactive) throw usage(`Which ${target.thing}? Give its id or name.`, listing(target))
  const items: Item[] = []
  for await (const it of pages(context.call, target.list, { ...target.within } as never, { all: true, signal: context.world.signal })) items.push(it as Item)
  const { remember } = await import('./remember.ts')
  await remember(context, target.list, items, true)
  if (given === undefined) return (await pick(context, items, target)).id as number
  const found = target.by.map((field) => items.filter((it) => isCalled(it[field], given))).find((it) => it.length > 0) ?? []
  if (found.length === 1) return (found[0] as Item).id as number
  if (found.length > 1) throw usage(`More than one ${target.thing} is called "${given}": ${found.map((it) => it.id).join(', ')}.`, 'Give the id.')
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `There is no ${target.thing} "${given}".`,
    hint: listing(target),
  })
}

/** Digits are an id, but more than any id has are a phone number whose plus sign was left out. */
const isId = (given: string, { by }: Target): boolean => /^\d+$/.test(given) && !(by.includes('phone_number') && given.length > 9)

const isCalled = (value: unknown, given: string): boolean => String(value ?? '') === given || value === `+${given}`

const listing = ({ list, listed = list.name.replace('.', ' ') }: Target): string => `List them: parley ${listed}.`

async function pick(context: Context, items: readonly Item[], target: Target): Promise<Item> {
  if (items.length === 0) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no ${target.thing} to choose from.` })
  const prompts = await context.prompts()
  return prompts.select(`Which ${target.thing}?`, choices(items, target.label), { searchable: true })
}
