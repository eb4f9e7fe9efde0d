import type { LinkedItem } from '../../../contract/references/resource-links.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { confirmByName } from '../../program/consent/confirm-by-name.ts'
import { confirmPlan, requireConfirmation, requireConfirmedName } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { createAccountReader, requireReferences } from '../../program/dependencies/account-reader.ts'
import { describeItem } from '../../program/dependencies/deletion-effects.ts'
import { describeEvent } from '../../program/dependencies/dependents.ts'
import { findUsages } from '../../program/dependencies/usages.ts'
import { describeTime } from '../../program/output/time.ts'
import { resources } from '../../program/resources/registry.ts'
import { describeChanges } from '../../program/updates/field-changes.ts'
import type { LiveAutomation } from './live-automation.ts'
import {
  describeBinding,
  describeCircumstances,
  describeDifference,
  type RestorePreview,
} from './restore/restore-preview.ts'
import type { RestoreTarget } from './restore/restore-targets.ts'

/**
 * Returns a sentence for each event or resource that starts an automation or waits for its response. @throws
 * ClientFailure `undo_unavailable` if a list cannot be read
 */
async function automationCallers(
  context: Context,
  automation: { readonly id: string; readonly binding: unknown },
): Promise<string[]> {
  const account = createAccountReader(context.call, context.system.signal)
  const { certain } = await findUsages(account, 'automate', automation as LinkedItem)
  const { binding } = automation
  const named = isObject(binding) ? describeEvent(binding) : undefined
  const event = named === undefined ? [] : [`It is started by ${named}.`]
  const callers = [
    ...new Set(certain.map(({ link }) => `The ${resources[link.from].singular} ${describeItem(link.item)} uses it.`)),
  ]
  await requireReferences(context, account, 'automation')
  return [...event, ...callers]
}

interface PublishConfirmation {
  readonly question: string
  /** Error message without a terminal; a sentence. */
  readonly refusalMessage: string
  /** Effects to show before the question, one per line. */
  readonly lines: readonly string[]
  readonly name: string
  readonly isEnabled: boolean
  /** Value of `--confirm`. */
  readonly confirmed: string | boolean | undefined
  /** Whether a terminal asks despite `--yes` and `--confirm`, because what was agreed to has changed. */
  readonly isAskedAgain?: boolean
}

/**
 * Confirms that an earlier definition goes live: by name if the automation is enabled, otherwise by a question.
 * `--yes` is enough in both cases, because it can be undone.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmPublish(
  context: Context,
  { question, refusalMessage, lines, name, isEnabled, confirmed, isAskedAgain = false }: PublishConfirmation,
): Promise<void> {
  await requireConfirmedName(context, confirmed, [name])
  // `--yes` was given for what was shown first: after a change, a person who can answer is asked.
  if (context.globals.yes && !(isAskedAgain && context.interactive)) return
  if (isEnabled)
    return confirmByName(context, {
      question,
      refusalMessage,
      effects: lines,
      name,
      confirmed,
      isReversible: true,
      isAskedAgain,
    })
  if (context.interactive) await context.notes.note(lines.join('\n'))
  const request = { question, refusalMessage: [refusalMessage, ...lines].join('\n') }
  return requireConfirmation(context, request, { isAskedAgain })
}

/** A restore of an automation: the live version, the version that replaces it, and what that changes. */
export interface RestorePlan {
  readonly live: LiveAutomation
  readonly target: RestoreTarget
  readonly preview: RestorePreview
}

interface RestoreConfirmation {
  readonly confirmed: string | boolean | undefined
  /** State after the restore (default: the live state). */
  readonly nextStatus?: string
  /** Value of `context.pauses()` before the plan was read (default: now). A question since then makes the plan be read again. */
  readonly readAt?: number
  /** Plans the same restore again. @throws ClientFailure if it is not possible any more */
  read(): Promise<RestorePlan>
}

/**
 * Shows what a restore of an automation changes and confirms it, for `automate restore` and `history undo`. Returns the
 * restore that was agreed to.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export const confirmRestore = (
  context: Context,
  plan: RestorePlan,
  { confirmed, nextStatus, readAt, read }: RestoreConfirmation,
): Promise<RestorePlan> =>
  confirmPlan(context, {
    plan,
    ...(readAt !== undefined && { readAt }),
    ask: (it, isAskedAgain) => askToRestore(context, it, { confirmed, nextStatus, isAskedAgain }),
    read,
    describeChanges: describePlanChanges,
  })

async function askToRestore(
  context: Context,
  { live: { automation }, target, preview }: RestorePlan,
  {
    confirmed,
    nextStatus = automation.status,
    isAskedAgain,
  }: Pick<RestoreConfirmation, 'confirmed'> & {
    readonly nextStatus: string | undefined
    readonly isAskedAgain: boolean
  },
): Promise<void> {
  const { id, name, status } = automation
  await requireConfirmedName(context, confirmed, [name])
  const missing = preview.needs.filter((it) => it.state === 'missing' || it.state === 'expired')
  const circumstances = describeCircumstances(preview, nextStatus)
  if (missing.length > 0)
    await context.notes.warn(
      `Missing resources for ${target.label}: ${missing.map((it) => `${it.kind} ${it.id} (${it.state})`).join(', ')}. Its runs may fail.`,
    )
  if (context.globals.yes && !(isAskedAgain && context.interactive)) {
    // The same rule as in `confirmPublish`, before its callers are read. The result says whether the automation stays enabled,
    // which is the first circumstance.
    for (const line of circumstances.slice(1)) await context.notes.note(line)
    return
  }
  // Triggers reach the restored version if it is enabled now or after the restore, so the name is required.
  const isEnabled = status === 'enabled' || nextStatus === 'enabled'
  await confirmPublish(context, {
    question: `Restore ${target.label} of "${name}" (${id})?`,
    refusalMessage: `Restoring "${name}" replaces the live version and requires confirmation.`,
    lines: [
      ...describeDifference(preview),
      ...circumstances,
      ...(isEnabled ? await automationCallers(context, automation) : []),
    ],
    name: String(name),
    isEnabled,
    confirmed,
    isAskedAgain,
  })
}

/**
 * Returns a sentence for each change since a restore was agreed to. Runs in progress finish with their version. An empty result
 * means that the consent still holds: what is omitted here is restored without a question.
 */
function describePlanChanges(agreed: RestorePlan, { live, target, preview }: RestorePlan): string[] {
  const { automation: before } = agreed.live
  const { automation: after } = live
  const changes = [
    ...(live.fingerprint !== agreed.live.fingerprint || live.version !== agreed.live.version
      ? [`Another version of "${after.name}" was published at ${describeTime(after.updated_at)}.`]
      : []),
    ...describeChanges({ name: before.name, status: before.status }, { name: after.name, status: after.status }),
    ...(describeBinding(before.binding) === describeBinding(after.binding)
      ? []
      : [`Bound to: ${describeBinding(before.binding)} -> ${describeBinding(after.binding)}`]),
    ...(target.number === agreed.target.number && target.fingerprint === agreed.target.fingerprint
      ? []
      : [`It would be replaced by ${target.label}, not by ${agreed.target.label}.`]),
    ...preview.needs
      .filter(
        ({ kind, id, state }) =>
          !agreed.preview.needs.some((it) => it.kind === kind && it.id === id && it.state === state),
      )
      .map(({ kind, id, state }) => `It needs the ${kind} ${id}, which is ${state}.`),
  ]
  return changes.length > 0
    ? [`The automation "${before.name}" was changed while the question was open:`, ...changes]
    : []
}
