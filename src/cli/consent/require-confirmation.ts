import type { Context } from '../context.ts'
import { consentError, usageError } from '../errors/usage-error.ts'

export interface ConfirmationRequest {
  /** The question, which says everything that speaks for No: price, period, what is lost. */
  readonly question: string
  /** What the refusal elsewhere says is needed; a sentence. */
  readonly refusalMessage: string
}

/**
 * Consent for what cannot be undone (destructive, spends): asked on a terminal with No as the answer to Enter, `--yes` elsewhere.
 * @throws ClientFailure exit 10 when it is not given
 */
export async function requireConfirmation(
  context: Context,
  { question, refusalMessage }: ConfirmationRequest,
): Promise<void> {
  if (context.globals.yes) return
  if (!context.interactive) throw consentError(refusalMessage, 'Add --yes to agree.')
  const prompts = await context.prompts()
  if (!(await prompts.confirm(question))) throw consentError('Not done: the answer was no.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--yes' })
}

/** What a profile forbids or guards: a write in a read-only one is refused, in a protected one the profile's name is asked for. */
export async function guardWrite(context: Context, confirmed: string | undefined): Promise<void> {
  const { profile, profileName } = await context.settings()
  if (profile.read_only)
    throw usageError(
      `The profile "${profileName.value}" is read-only.`,
      `Allow writes: parley profile set ${profileName.value} --no-read-only. More: parley help profiles.`,
    )
  if (!profile.protected || confirmed === profileName.value) return
  if (!context.interactive)
    throw consentError(
      `The profile "${profileName.value}" is protected.`,
      `Add --confirm ${profileName.value} to agree. More: parley help profiles.`,
    )
  const prompts = await context.prompts()
  if (!(await prompts.confirmName(`The profile "${profileName.value}" is protected.`, profileName.value)))
    throw consentError('Not done: the name did not match.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--confirm', value: profileName.value })
}
