import type { Context } from '../context.ts'
import { consentError } from '../errors/usage-error.ts'

export interface NameConfirmation {
  /** The question. */
  readonly question: string
  /** What the refusal elsewhere says is needed; a sentence. */
  readonly refusalMessage: string
  /** What it touches, a sentence each. */
  readonly effects: readonly string[]
  /** What has to be typed. */
  readonly name: string
  /** What `--confirm` said. */
  readonly confirmed: string | boolean | undefined
  /** `--yes` is enough: it can be undone. */
  readonly isReversible?: true
}

/**
 * Consent for what others rely on: shows what it touches and has the name typed; `--confirm <name>` elsewhere, `--yes` is not enough.
 * In a protected profile, whose own name `--confirm` gives, `--yes` stands for the second name.
 * @throws ClientFailure exit 10 when it is not given
 */
export async function confirmByName(
  context: Context,
  { question, refusalMessage, effects, name, confirmed, isReversible }: NameConfirmation,
): Promise<void> {
  if (confirmed === name) return
  const { profile, profileName } = await context.settings()
  if (profile.protected && confirmed === profileName.value && context.globals.yes) return
  if (!context.interactive)
    throw consentError(
      [refusalMessage, ...effects].join('\n'),
      profile.protected
        ? 'Add --yes: --confirm names the profile.'
        : `Add ${isReversible ? '--yes, or ' : ''}--confirm ${JSON.stringify(name)}${isReversible ? ',' : ''} to agree.`,
    )
  await context.notes.warn(effects.join('\n'))
  const prompts = await context.prompts()
  if (!(await prompts.confirmName(question, name)))
    throw consentError('Not done: the name did not match.', 'Nothing was changed.')
  context.promptAnswers.push(profile.protected ? { flag: '--yes' } : { flag: '--confirm', value: name })
}
