import { isDeepStrictEqual } from 'node:util'
import { hasDefinition, type LinkedItem } from '../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { isObject, type ResourceRecord } from '../../../contract/values/json-object.ts'
import { isNumericId } from '../../../contract/values/numeric-id.ts'
import { confirmByName } from '../consent/confirm-by-name.ts'
import {
  type ConfirmationRequest,
  confirmPlan,
  requireConfirmation,
  requireConfirmedName,
} from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import { readForUndo, Unread } from '../history/undo-unavailable.ts'
import { describeTime } from '../output/time.ts'
import { resources } from '../resources/registry.ts'
import { describeChanges } from '../updates/field-changes.ts'
import { type AccountReader, createAccountReader, requireReferences } from './account-reader.ts'
import { deletionEffect, isGroupingKind } from './deletion-effects.ts'
import { findUsages } from './usages.ts'

/** Maximum number of effects listed. */
const maxEffects = 12

/** Resources that depend on a resource that is about to be deleted or changed. */
export interface Dependents {
  /** Effects, a sentence each, those of active resources first. They are compared as texts after a question: a new one asks again. */
  readonly effects: readonly string[]
  /** Whether an active resource uses it: then only its name confirms, or `--yes` for what can be undone. */
  readonly isLive: boolean
  /** A sentence about expressions that may reference it. */
  readonly possibleNote: string | undefined
}

/**
 * Finds everything that references a resource which is about to be deleted, disabled or changed. @throws ClientFailure
 * `undo_unavailable` if a list cannot be read
 */
export async function findDependents(
  context: Context,
  resourceKind: ResourceKind,
  item: LinkedItem,
  account: AccountReader = createAccountReader(context.call, context.system.signal),
): Promise<Dependents> {
  const { certain: all, possible } = await findUsages(account, resourceKind, item)
  await requireReferences(context, account, resources[resourceKind].singular)
  const certain = all.filter(({ link: { from, item } }) => resources[from].hasEnded?.(item) !== true)
  const sorted = [...certain.filter((use) => use.live), ...certain.filter((use) => !use.live)]
  const sentences = [...new Set(sorted.flatMap(({ link }) => deletionEffect(link, item) ?? []))]
  const losses =
    sentences.length > maxEffects
      ? [
          ...sentences.slice(0, maxEffects),
          `And ${sentences.length - maxEffects} more: parley refs ${resources[resourceKind].noun} ${item.id}`,
        ]
      : sentences
  const eventEffects = hasDefinition(resourceKind) ? eventEffect(item) : []
  const flows = [
    ...new Set(possible.filter(({ item }) => item.status === 'enabled').map(({ item }) => `"${item.name}"`)),
  ]
  return {
    effects: [...eventEffects, ...losses],
    isLive: !isGroupingKind(resourceKind) && (eventEffects.length > 0 || certain.some((use) => use.live)),
    possibleNote:
      flows.length > 0 ? `These automations may use it through an expression: ${flows.join(', ')}.` : undefined,
  }
}

/** Returns the effect on the event that starts an enabled automation: nothing else handles it. */
function eventEffect({ status, binding }: LinkedItem): string[] {
  if (status !== 'enabled' || !isObject(binding)) return []
  const event = describeEvent(binding)
  return event === undefined ? [] : [`${event} no longer starts an automation.`]
}

/** Describes a binding: `post_call of "Front desk" (1)`. Undefined if the platform does not return it. */
export function describeEvent({ type, assistant_name: name, assistant_id: id }: LinkedItem): string | undefined {
  if (typeof type !== 'string' || (typeof id !== 'string' && !isNumericId(id))) return undefined
  return `${type} of ${typeof name === 'string' ? `"${name}"` : 'assistant'} (${id})`
}

/**
 * Requires confirmation to disable an automation that is in use: by name, or with `--yes` or `--confirm`. Returns the
 * automation as it was agreed to, which includes its definition if that is replaced too. Undefined if it cannot be read.
 */
export async function confirmDisable(
  context: Context,
  id: string,
  confirmed: string | boolean | undefined,
  replacesDefinition = false,
): Promise<ResourceRecord | undefined> {
  const readPlan = async () => {
    const { data } = await context.call(automate.get, { id })
    await requireConfirmedName(context, confirmed, [data.name])
    const isDisabled = data.status === 'disabled'
    return {
      data,
      dependents: isDisabled ? undefined : await findDependents(context, 'automate', data as LinkedItem),
    }
  }
  const plan = await readForUndo(context, 'automation', readPlan)
  if (plan instanceof Unread) {
    if (plan.reason === 'gone') throw plan.error
    await context.notes.warn(
      `What uses the automation is not checked, because it could not be read. ${plan.error.message}`,
    )
    return undefined
  }
  const { data: agreed } = await confirmPlan(context, {
    plan,
    async ask({ data, dependents }, isAskedAgain) {
      const name = String(data.name)
      const question = `Disable the automation "${name}" (${id})?`
      const refusalMessage = `Disabling "${name}" requires confirmation: it is in use.`
      if (dependents?.isLive)
        return confirmWithDependents(context, dependents, {
          question,
          refusalMessage: '',
          inUse: refusalMessage,
          names: [name],
          confirmed,
          isReversible: true,
          isAskedAgain,
        })
      if (dependents) await noteDependents(context, dependents)
      if (isAskedAgain) await requireConfirmation(context, { question, refusalMessage }, { isAskedAgain })
    },
    read: readPlan,
    describeChanges: (before, after) => [
      ...describeChanges({ name: before.data.name }, { name: after.data.name }),
      ...describeEffectChanges(before.dependents?.effects, after.dependents?.effects),
      ...(replacesDefinition && !isDeepStrictEqual(before.data.definition, after.data.definition)
        ? [`Another definition of "${after.data.name}" is live since ${describeTime(after.data.updated_at)}.`]
        : []),
    ],
  })
  return agreed
}

/** Returns a sentence for each effect that only one of two lists has. */
export const describeEffectChanges = (
  before: readonly string[] | undefined = [],
  after: readonly string[] | undefined = [],
): string[] => [
  ...after.filter((it) => !before.includes(it)),
  ...before.filter((it) => !after.includes(it)).map((it) => `Not any more: ${it}`),
]

interface DependentsConfirmation extends ConfirmationRequest {
  /** Error message without a terminal if it is in use; a sentence. */
  readonly inUse: string
  /** Names that confirm it when typed or passed with `--confirm`; the first is shown. */
  readonly names: readonly string[]
  readonly confirmed: string | boolean | undefined
  /** It can be undone, so `--yes` is sufficient. */
  readonly isReversible?: true
  /** Whether a terminal asks despite `--yes` and `--confirm`, because what was agreed to has changed. */
  readonly isAskedAgain: boolean
}

/**
 * Requires confirmation for an operation with effects on dependents, and shows these effects. If a dependent is active,
 * the name must be typed or passed with `--confirm`.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmWithDependents(
  context: Context,
  dependents: Dependents,
  { question, refusalMessage, inUse, names, confirmed, isReversible, isAskedAgain }: DependentsConfirmation,
): Promise<void> {
  const { effects, isLive } = dependents
  await requireConfirmedName(context, confirmed, names)
  await noteUncertain(context, dependents)
  const name = names[0] as string
  const isNamed = typeof confirmed === 'string' && names.includes(confirmed)
  if (!isLive || (isReversible && context.globals.yes)) {
    if (effects.length > 0 && (context.globals.yes || context.interactive)) await context.notes.note(effects.join('\n'))
    if (isNamed && !(isAskedAgain && context.interactive)) return
    const request = { question, refusalMessage: [refusalMessage, ...effects].join('\n') }
    return requireConfirmation(context, request, { isAskedAgain })
  }
  const given = isNamed ? name : confirmed
  await confirmByName(context, {
    question: `${question} It is in use.`,
    refusalMessage: inUse,
    effects,
    name,
    confirmed: given,
    isAskedAgain,
    ...(isReversible && { isReversible }),
  })
}

/** Reports references that are known only at run time. */
export async function noteUncertain({ notes }: Context, { possibleNote }: Dependents): Promise<void> {
  if (possibleNote) await notes.warn(possibleNote)
}

/** Prints the effects if no confirmation is needed. */
async function noteDependents(context: Context, dependents: Dependents): Promise<void> {
  await noteUncertain(context, dependents)
  if (dependents.effects.length > 0) await context.notes.note(dependents.effects.join('\n'))
}

/** Returns names that confirm an operation on a resource, the preferred one first. */
export const confirmableNames = (item: LinkedItem, by: readonly string[]): string[] => {
  const names = by.flatMap((field) => (typeof item[field] === 'string' && item[field] !== '' ? [item[field]] : []))
  return names.length > 0 ? names : [String(item.id)]
}

/** Returns the runs of an automation that are in progress or wait. */
export async function runsInFlight(
  context: Context,
  id: string,
): Promise<{ readonly id: string; readonly status: string }[]> {
  const answer = await context.call(automate.runs, { id, limit: 20 }).catch(() => undefined)
  const runs = answer && 'runs' in answer && Array.isArray(answer.runs) ? answer.runs : []
  return runs
    .filter((it) => it?.status === 'RUNNING' || it?.status === 'PAUSED')
    .map(({ id: run, status }) => ({ id: run, status }))
}
