import { checkConfirmedName } from '../consent/check-confirmed-name.ts'
import { confirmByName } from '../consent/confirm-by-name.ts'
import { requireConfirmation } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import type { LiveAutomation } from './live-automation.ts'
import { describeCircumstances, describeDifference, type RestorePreview } from './restore/restore-preview.ts'
import type { RestoreTarget } from './restore/restore-targets.ts'

export interface PublishConfirmation {
  readonly question: string
  /** Error message without a terminal; a sentence. */
  readonly refusalMessage: string
  /** Effects to show before the question, one per line. */
  readonly lines: readonly string[]
  readonly name: string
  readonly isEnabled: boolean
  /** Value of `--confirm`. */
  readonly confirmed: string | boolean | undefined
}

/**
 * Confirms that an earlier definition goes live: by name if the automation is enabled, otherwise by a question.
 * `--yes` is enough in both cases, because it can be undone.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmPublish(
  context: Context,
  { question, refusalMessage, lines, name, isEnabled, confirmed }: PublishConfirmation,
): Promise<void> {
  await checkConfirmedName(context, confirmed, [name])
  if (context.globals.yes) return
  if (isEnabled)
    return confirmByName(context, { question, refusalMessage, effects: lines, name, confirmed, isReversible: true })
  if (context.interactive) await context.notes.note(lines.join('\n'))
  return requireConfirmation(context, { question, refusalMessage: [refusalMessage, ...lines].join('\n') })
}

export interface RestoreConfirmation {
  readonly target: RestoreTarget
  readonly preview: RestorePreview
  readonly confirmed: string | boolean | undefined
  /** State after the restore (default: the live state). */
  readonly nextStatus?: string
}

/**
 * Shows what a restore of an automation changes and confirms it, for `automate restore` and `history undo`.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmRestore(
  context: Context,
  { automation }: LiveAutomation,
  { target, preview, confirmed, nextStatus = automation.status }: RestoreConfirmation,
): Promise<void> {
  const { id, name, status } = automation
  await checkConfirmedName(context, confirmed, [name])
  const missing = preview.needs.filter((it) => it.state === 'missing' || it.state === 'expired')
  const circumstances = describeCircumstances(preview, nextStatus)
  if (missing.length > 0)
    await context.notes.warn(
      `Missing resources for ${target.label}: ${missing.map((it) => `${it.kind} ${it.id} (${it.state})`).join(', ')}. Its runs may fail.`,
    )
  if (context.globals.yes) {
    // The result says whether the automation stays enabled.
    for (const line of circumstances.slice(1)) await context.notes.note(line)
    return
  }
  const { automationCallers } = await import('../dependencies/automation-callers.ts')
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
  })
}
