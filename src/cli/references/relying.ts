import { automate } from '../../contract/automate.ts'
import type { Thing } from '../../contract/references.ts'
import { consent, type Question } from '../consent.ts'
import type { Context } from '../context.ts'
import { severe } from '../severe.ts'
import { type Account, accountOf, tellUnseen } from './account.ts'
import { type Item, isObject } from './links.ts'
import { isFiling, lossOf } from './losses.ts'
import { wordOf } from './things.ts'
import { usesOf } from './uses.ts'

/** Losses that are told one by one. */
const most = 12

/** What relies on a thing that is about to go, or to change. */
export interface Relying {
  /** What is lost, a sentence each, what is live first. */
  readonly losses: readonly string[]
  readonly isLive: boolean
  /** Where it was looked for: what of it could not be seen. */
  readonly account: Pick<Account, 'troubles'>
  /** Expressions that may come to it; a sentence. */
  readonly possible: string | undefined
}

/** Looks at everything that can point to a thing. A list that cannot be read stops nothing, and is told. */
export async function relyingOn(context: Context, thing: Thing, it: Item, account: Account = accountOf(context.call, context.world.signal)): Promise<Relying> {
  const { certain: all, possible } = await usesOf(account, thing, it)
  // A campaign that is done needs nothing any more.
  const certain = all.filter(({ link: { from, item } }) => from !== 'campaigns' || item.status !== 'completed')
  const sorted = [...certain.filter((use) => use.live), ...certain.filter((use) => !use.live)]
  const told = [...new Set(sorted.flatMap(({ link }) => lossOf(link, it) ?? []))]
  const losses = told.length > most ? [...told.slice(0, most), `And ${told.length - most} more: parley refs ${wordOf(thing)} ${it.id}`] : told
  const bound = thing === 'automate' ? eventOf(it) : []
  const flows = [...new Set(possible.filter(({ item }) => item.status === 'enabled').map(({ item }) => `"${item.name}"`))]
  return {
    losses: [...bound, ...losses],
    isLive: !isFiling(thing) && (bound.length > 0 || certain.some((use) => use.live)),
    account,
    possible: flows.length > 0 ? `May use it too, by an expression that is known when it runs: ${flows.join(', ')}.` : undefined,
  }
}

/** The event an automation that is on is started by: nobody is told of it without. */
function eventOf({ status, binding }: Item): string[] {
  if (status !== 'enabled' || !isObject(binding)) return []
  const event = eventIn(binding)
  return event === undefined ? [] : [`Nothing happens at ${event} any more.`]
}

/** `post_call of "Front desk" (1)`; undefined where the platform does not say. */
export function eventIn({ type, assistant_name: name, assistant_id: id }: Item): string | undefined {
  if (typeof type !== 'string' || (typeof id !== 'number' && typeof id !== 'string')) return undefined
  return `${type} of ${typeof name === 'string' ? `"${name}"` : 'assistant'} (${id})`
}

/** Switching an automation off takes it from all that rely on it; where something live does, its name is typed, or `--yes` or `--confirm` given. */
export async function agreeToSwitchOff(context: Context, id: string, confirmed: string | boolean | undefined): Promise<void> {
  const { data } = await context.call(automate.get, { id })
  if (data.status === 'disabled') return
  const relying = await relyingOn(context, 'automate', data as unknown as Item)
  const name = String(data.name)
  const question = { ask: `Switch off the automation "${name}" (${id})?`, without: '', inUse: `Switching off "${name}" needs consent: it is in use.` }
  if (relying.isLive) return agree(context, relying, { ...question, names: [name], confirmed, isUndone: true })
  await tell(context, relying)
}

export interface Agreement extends Question {
  /** The refusal elsewhere when it is in use; a sentence. */
  readonly inUse: string
  /** What may be typed, or given with `--confirm`: the first is asked for. */
  readonly names: readonly string[]
  readonly confirmed: string | boolean | undefined
  /** It can be undone: `--yes` is enough. */
  readonly isUndone?: true
}

/**
 * Consent for what takes something from others: shows what is lost; where something live relies on it, its name is typed, or given with `--confirm`.
 * @throws ClientFailure exit 10 when it is not given
 */
export async function agree(context: Context, relying: Relying, { ask, without, inUse, names, confirmed, isUndone }: Agreement): Promise<void> {
  const { losses, isLive } = relying
  await tellUncertain(context, relying)
  const name = names[0] as string
  const isNamed = typeof confirmed === 'string' && names.includes(confirmed)
  if (!isLive || (isUndone && context.globals.yes)) {
    if (losses.length > 0 && (context.globals.yes || context.interactive)) await context.notes.note(losses.join('\n'))
    if (isNamed) return
    return consent(context, { ask, without: [without, ...losses].join('\n') })
  }
  const given = isNamed ? name : confirmed
  await severe(context, { ask: `${ask} It is in use.`, without: inUse, touches: losses, name, confirmed: given, ...(isUndone && { isUndone }) })
}

/** Says what could not be seen, and what nobody can tell before it runs. */
export async function tellUncertain(context: Context, { account, possible }: Relying): Promise<void> {
  await tellUnseen(context, account, 'What is there may rely on it.')
  if (possible) await context.notes.note(possible)
}

/** Tells what is lost where nobody is asked. */
async function tell(context: Context, relying: Relying): Promise<void> {
  await tellUncertain(context, relying)
  if (relying.losses.length > 0) await context.notes.note(relying.losses.join('\n'))
}

/** Names of a thing that can be typed, the best first. */
export const namesOf = (it: Item, by: readonly string[]): string[] => {
  const names = by.flatMap((field) => (typeof it[field] === 'string' && it[field] !== '' ? [it[field]] : []))
  return names.length > 0 ? names : [String(it.id)]
}
