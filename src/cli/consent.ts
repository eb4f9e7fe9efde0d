import type { Context } from './context.ts'
import { needsConsent, usage } from './usage.ts'

export interface Question {
  /** The question, which says everything that speaks for No: price, period, what is lost. */
  readonly ask: string
  /** What the refusal elsewhere says is needed; a sentence. */
  readonly without: string
}

/**
 * Consent for what cannot be undone (destructive, spends): asked on a terminal with No as the answer to Enter, `--yes` elsewhere.
 * @throws ClientFailure exit 10 when it is not given
 */
export async function consent(context: Context, { ask, without }: Question): Promise<void> {
  if (context.globals.yes) return
  if (!context.interactive) throw needsConsent(without, 'Add --yes to agree.')
  const prompts = await context.prompts()
  if (!(await prompts.confirm(ask))) throw needsConsent('Not done: the answer was no.', 'Nothing was changed.')
  context.answered.push({ flag: '--yes' })
}

/** What a profile forbids or guards: a write in a read-only one is refused, in a protected one the profile's name is asked for. */
export async function guardWrite(context: Context, confirmed: string | undefined): Promise<void> {
  const { profile, profileName } = await context.settings()
  if (profile.read_only)
    throw usage(
      `The profile "${profileName.value}" is read-only.`,
      `Allow writes: parley profile set ${profileName.value} --no-read-only. More: parley help profiles.`,
    )
  if (!profile.protected || confirmed === profileName.value) return
  if (!context.interactive)
    throw needsConsent(`The profile "${profileName.value}" is protected.`, `Add --confirm ${profileName.value} to agree. More: parley help profiles.`)
  const prompts = await context.prompts()
  if (!(await prompts.typeName(`The profile "${profileName.value}" is protected.`, profileName.value)))
    throw needsConsent('Not done: the name did not match.', 'Nothing was changed.')
  context.answered.push({ flag: '--confirm', value: profileName.value })
}
