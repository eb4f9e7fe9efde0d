import { automate } from '../../contract/resources/automate.ts'
import type { ResourceKind } from '../../contract/resources/resource-references.ts'
import { confirmByName } from '../consent/confirm-by-name.ts'
import { type ConfirmationRequest, requireConfirmation } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import { type AccountReader, createAccountReader, noteFailures } from './account-reader.ts'
import { deletionEffect, isGroupingKind } from './deletion-effects.ts'
import { isObject, type LinkedItem } from './resource-links.ts'
import { nounOf } from './resource-nouns.ts'
import { findUsages } from './usages.ts'

/** Losses that are told one by one. */
const maxEffects = 12

/** What relies on a thing that is about to go, or to change. */
export interface Dependents {
  /** What is lost, a sentence each, what is live first. */
  readonly effects: readonly string[]
  readonly isLive: boolean
  /** Where it was looked for: what of it could not be seen. */
  readonly account: Pick<AccountReader, 'failures'>
  /** Expressions that may come to it; a sentence. */
  readonly possibleNote: string | undefined
}

/** Looks at everything that can point to a thing. A list that cannot be read stops nothing, and is told. */
export async function findDependents(
  context: Context,
  resourceKind: ResourceKind,
  it: LinkedItem,
  account: AccountReader = createAccountReader(context.call, context.world.signal),
): Promise<Dependents> {
  const { certain: all, possible } = await findUsages(account, resourceKind, it)
  // A campaign that is done needs nothing any more.
  const certain = all.filter(({ link: { from, item } }) => from !== 'campaigns' || item.status !== 'completed')
  const sorted = [...certain.filter((use) => use.live), ...certain.filter((use) => !use.live)]
  const sentences = [...new Set(sorted.flatMap(({ link }) => deletionEffect(link, it) ?? []))]
  const losses =
    sentences.length > maxEffects
      ? [
          ...sentences.slice(0, maxEffects),
          `And ${sentences.length - maxEffects} more: parley refs ${nounOf(resourceKind)} ${it.id}`,
        ]
      : sentences
  const eventEffects = resourceKind === 'automate' ? eventEffect(it) : []
  const flows = [
    ...new Set(possible.filter(({ item }) => item.status === 'enabled').map(({ item }) => `"${item.name}"`)),
  ]
  return {
    effects: [...eventEffects, ...losses],
    isLive: !isGroupingKind(resourceKind) && (eventEffects.length > 0 || certain.some((use) => use.live)),
    account,
    possibleNote:
      flows.length > 0
        ? `May use it too, by an expression that is known when it runs: ${flows.join(', ')}.`
        : undefined,
  }
}

/** The event an automation that is on is started by: nobody is told of it without. */
function eventEffect({ status, binding }: LinkedItem): string[] {
  if (status !== 'enabled' || !isObject(binding)) return []
  const event = describeEvent(binding)
  return event === undefined ? [] : [`Nothing happens at ${event} any more.`]
}

/** `post_call of "Front desk" (1)`; undefined where the platform does not say. */
export function describeEvent({ type, assistant_name: name, assistant_id: id }: LinkedItem): string | undefined {
  if (typeof type !== 'string' || (typeof id !== 'number' && typeof id !== 'string')) return undefined
  return `${type} of ${typeof name === 'string' ? `"${name}"` : 'assistant'} (${id})`
}

/** Switching an automation off takes it from all that rely on it; where something live does, its name is typed, or `--yes` or `--confirm` given. */
export async function confirmDisable(
  context: Context,
  id: string,
  confirmed: string | boolean | undefined,
): Promise<ResourceRecord> {
  const { data } = await context.call(automate.get, { id })
  if (data.status === 'disabled') return data
  const dependents = await findDependents(context, 'automate', data as unknown as LinkedItem)
  const name = String(data.name)
  const question = {
    question: `Switch off the automation "${name}" (${id})?`,
    refusalMessage: '',
    inUse: `Switching off "${name}" needs consent: it is in use.`,
  }
  if (dependents.isLive)
    await confirmWithDependents(context, dependents, { ...question, names: [name], confirmed, isReversible: true })
  else await noteDependents(context, dependents)
  return data
}

export interface DependentsConfirmation extends ConfirmationRequest {
  /** The refusal elsewhere when it is in use; a sentence. */
  readonly inUse: string
  /** What may be typed, or given with `--confirm`: the first is asked for. */
  readonly names: readonly string[]
  readonly confirmed: string | boolean | undefined
  /** It can be undone: `--yes` is enough. */
  readonly isReversible?: true
}

/**
 * Consent for what takes something from others: shows what is lost; where something live relies on it, its name is typed, or given with `--confirm`.
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmWithDependents(
  context: Context,
  dependents: Dependents,
  { question, refusalMessage, inUse, names, confirmed, isReversible }: DependentsConfirmation,
): Promise<void> {
  const { effects, isLive } = dependents
  await noteUncertain(context, dependents)
  const name = names[0] as string
  const isNamed = typeof confirmed === 'string' && names.includes(confirmed)
  if (!isLive || (isReversible && context.globals.yes)) {
    if (effects.length > 0 && (context.globals.yes || context.interactive)) await context.notes.note(effects.join('\n'))
    if (isNamed) return
    return requireConfirmation(context, { question, refusalMessage: [refusalMessage, ...effects].join('\n') })
  }
  const given = isNamed ? name : confirmed
  await confirmByName(context, {
    question: `${question} It is in use.`,
    refusalMessage: inUse,
    effects,
    name,
    confirmed: given,
    ...(isReversible && { isReversible }),
  })
}

/** Says what could not be seen, and what nobody can tell before it runs. */
export async function noteUncertain(context: Context, { account, possibleNote }: Dependents): Promise<void> {
  await noteFailures(context, account, 'What is there may rely on it.')
  if (possibleNote) await context.notes.note(possibleNote)
}

/** Tells what is lost where nobody is asked. */
async function noteDependents(context: Context, dependents: Dependents): Promise<void> {
  await noteUncertain(context, dependents)
  if (dependents.effects.length > 0) await context.notes.note(dependents.effects.join('\n'))
}

/** Names of a thing that can be typed, the best first. */
export const confirmableNames = (it: LinkedItem, by: readonly string[]): string[] => {
  const names = by.flatMap((field) => (typeof it[field] === 'string' && it[field] !== '' ? [it[field]] : []))
  return names.length > 0 ? names : [String(it.id)]
}
