import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import { consentError } from '../errors/usage-error.ts'
import { askName, type QuestionScope, requireConfirmedName } from './require-confirmation.ts'

interface NameConfirmation {
  /** The question. */
  readonly question: string
  /** Error message without a terminal; a sentence. */
  readonly refusalMessage: string
  /** Effects on other resources, one sentence each. */
  readonly effects: readonly string[]
  /** The name to type. */
  readonly name: string
  /** The value of `--confirm`. */
  readonly confirmed: string | boolean | undefined
  /** The action can be undone, so `--yes` is enough. */
  readonly isReversible?: true
  /** Whether a terminal asks despite `--confirm`, because what was agreed to has changed. */
  readonly isAskedAgain?: boolean
  /** The platform that the answer affects (default: that of the command). */
  readonly settings?: QuestionScope['settings']
}

/**
 * Confirms an action that affects other resources: shows the effects and asks to type the name. Without a terminal
 * `--confirm <name>` is required; `--yes` is not enough. In a protected profile `--confirm` gives the name of the
 * profile, so `--yes` replaces the second name.
 *
 * @throws ClientFailure exit 10 without confirmation, `usage` for another name
 */
export async function confirmByName(
  context: Context,
  { question, refusalMessage, effects, name, confirmed, isReversible, isAskedAgain, settings }: NameConfirmation,
): Promise<void> {
  if (await context.approvals.replacesConfirmation([question, ...effects].join('\n'))) return
  const isAsked = isAskedAgain === true && context.interactive
  if (confirmed === name && !isAsked) return
  await requireConfirmedName(context, confirmed, [name])
  const { profile, profileName } = await context.settings()
  if (profile.protected && confirmed === profileName.value && context.globals.yes && !isAsked) return
  if (!context.interactive)
    throw consentError(
      [refusalMessage, ...effects].join('\n'),
      profile.protected
        ? 'Pass --yes as well: --confirm names the profile.'
        : `Pass ${isReversible ? '--yes or ' : ''}--confirm ${stringifyJson(name)} to confirm.`,
    )
  await context.notes.warn(effects.join('\n'))
  if (!(await askName(context, question, name, settings && { settings })))
    throw consentError('Cancelled: the name does not match.', 'Nothing was changed.')
  context.promptAnswers.push(profile.protected ? { flag: '--yes' } : { flag: '--confirm', value: name })
}
