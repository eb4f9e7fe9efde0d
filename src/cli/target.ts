import { ClientFailure } from '../client/failure.ts'
import { pages } from '../client/pages.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { choices } from './choices.ts'
import { riskOf } from './command.ts'
import type { Context } from './context.ts'
import { usage } from './usage.ts'

export type Item = Record<string, unknown> & { readonly id: number | string }

export interface Target {
  /** `tool`, `key`: for messages. */
  readonly thing: string
  /** The list it is found in by name. */
  readonly list: Endpoint
  /** What the list itself has to be asked with: the knowledge base of a document. */
  readonly within?: Readonly<Record<string, unknown>>
  /** How many of the list are looked at; all of them unless given. */
  readonly most?: number
  /** The command that lists them; the endpoint's name unless given. */
  readonly listed?: string
  /** Fields that may name it, tried in turn: `name`, `phone_number`, `nickname`. */
  readonly by: readonly string[]
  /** Its numbers may be as short as an id: the list is looked at before digits are taken for either. */
  readonly shortNumbers?: true
  /** The line a picker shows. */
  readonly label: (item: Item) => string
}

/** Things whose ids digits on the command line were taken for: there may be none with that id. */
export interface Taken {
  readonly targets: Target[]
  /** Whether lists are looked at before digits are taken for an id: at the second try, when the first found nothing. */
  looks: boolean
}

/** The id of what an argument, or `flag`, means: an id, or a unique name. Nothing given: picked on a terminal, exit 2 elsewhere. */
export const resolveId = async (context: Context, given: string | undefined, target: Target, flag?: string): Promise<number> =>
  (await resolveItem(context, given, target, flag)).id as number

/** The same, with all that its list shows; the id alone where no list was read. */
export async function resolveItem(context: Context, given: string | undefined, target: Target, flag?: string): Promise<Item> {
  if (given !== undefined && isId(given, target)) {
    if (!Number.isSafeInteger(Number(given)))
      throw usage(`${given} is no id of a ${target.thing}: it is too large to be kept exactly (beyond 2^53).`, listing(target))
    return itemOfDigits(context, given, target)
  }
  if (given === undefined && !context.interactive) throw usage(`Which ${target.thing}? Give its id or name.`, listing(target))
  const items = await listed(context, target)
  if (given === undefined) {
    const picked = await pick(context, items, target)
    context.answered.push(flag === undefined ? { argument: String(picked.id) } : { flag, value: String(picked.id) })
    return picked
  }
  const found = calledSo(items, given, target)
  if (found) return found
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `There is no ${target.thing} "${given}".`,
    hint: listing(target),
  })
}

/**
 * Digits are an id, and a name or number where there is no such id. What is deleted, or has short numbers, is looked for first:
 * where the id is one thing's and the number another's, a command that changes something refuses.
 */
async function itemOfDigits(context: Context, given: string, target: Target): Promise<Item> {
  const { taken, command } = context
  const risk = riskOf(command)
  taken.targets.push(target)
  const alone: Item = { id: Number(given) }
  if (!taken.looks && !target.shortNumbers && risk !== 'destructive') return alone
  const items = await listed(context, target).catch((error) => unlisted(context, error))
  const own = items.find((it) => String(it.id) === given)
  if (own && risk === 'read') return own
  const other = calledSo(
    items.filter((it) => it !== own),
    given,
    target,
  )
  if (!own || !other) return own ?? other ?? alone
  throw usage(
    `"${given}" is the id of one ${target.thing} and the ${target.shortNumbers ? 'number or name' : 'name'} of another:\n${[own, other].map(target.label).join('\n')}`,
    `Give ${nameOf(own, given, target)}, or ${other.id} for the other one.`,
  )
}

/** All there is to choose from, or as many as the thing allows. */
async function listed(context: Context, { list, within, most }: Target): Promise<readonly Item[]> {
  const items: Item[] = []
  const reading = { ...(most === undefined ? { all: true } : { limit: most }), signal: context.world.signal }
  for await (const it of pages(context.call, list, { ...within } as never, reading)) items.push(it as Item)
  const { remember } = await import('./remember.ts')
  await remember(context, list, items, most === undefined, within)
  return items
}

/** A platform that lists nothing to us, or that is not there for a call that is only shown, leaves digits an id. */
function unlisted({ globals }: Context, error: unknown): readonly Item[] {
  const { status = 0 } = error as ClientFailure
  if ([403, 404, 405, 501].includes(status) || globals.dryRun || globals.printCurl) return []
  throw error
}

/** The one of this name; undefined when there is none. */
function calledSo(items: readonly Item[], given: string, { by, thing }: Target): Item | undefined {
  const found = by.map((field) => items.filter((it) => isCalled(it[field], given))).find((it) => it.length > 0) ?? []
  if (found.length > 1) throw usage(`More than one ${thing} is called "${given}": ${found.map((it) => it.id).join(', ')}.`, 'Give the id.')
  return found[0]
}

/** What one of two that the same digits mean is called beside them. */
const nameOf = (it: Item, given: string, { by }: Target): string =>
  JSON.stringify(by.map((field) => it[field]).find((name) => typeof name === 'string' && name !== '' && !isCalled(name, given)) ?? given)

/** Digits are an id, but more than any id has are a phone number whose plus sign was left out. */
const isId = (given: string, { by }: Target): boolean => /^\d+$/.test(given) && !(by.includes('phone_number') && given.length > 9)

const isCalled = (value: unknown, given: string): boolean =>
  String(value ?? '') === given || value === `+${given}` || (uuid.test(given) && String(value).toLowerCase() === given.toLowerCase())

/** Letters of a UUID mean the same in both cases. */
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Where to look for the right one; a sentence. */
export const listing = ({ list, listed = list.name.replace('.', ' ') }: Target): string => `List them: parley ${listed}.`

async function pick(context: Context, items: readonly Item[], target: Target): Promise<Item> {
  if (items.length === 0) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no ${target.thing} to choose from.` })
  const prompts = await context.prompts()
  return prompts.select(`Which ${target.thing}?`, choices(items, target.label), { searchable: true })
}
