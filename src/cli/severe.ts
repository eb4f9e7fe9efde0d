import type { Context } from './context.ts'
import { needsConsent } from './usage.ts'

export interface Severity {
  /** The question. */
  readonly ask: string
  /** What the refusal elsewhere says is needed; a sentence. */
  readonly without: string
  /** What it touches, a sentence each. */
  readonly touches: readonly string[]
  /** What has to be typed. */
  readonly name: string
  /** What `--confirm` said. */
  readonly confirmed: string | boolean | undefined
  /** `--yes` is enough: it can be undone. */
  readonly isUndone?: true
}

/**
 * Consent for what others rely on: shows what it touches and has the name typed; `--confirm <name>` elsewhere, `--yes` is not enough.
 * In a protected profile, whose own name `--confirm` gives, `--yes` stands for the second name.
 * @throws ClientFailure exit 10 when it is not given
 */
export async function severe(context: Context, { ask, without, touches, name, confirmed, isUndone }: Severity): Promise<void> {
  if (confirmed === name) return
  const { profile, profileName } = await context.settings()
  if (profile.protected && confirmed === profileName.value && context.globals.yes) return
  if (!context.interactive)
    throw needsConsent(
      [without, ...touches].join('\n'),
      profile.protected
        ? 'Add --yes: --confirm names the profile.'
        : `Add ${isUndone ? '--yes, or ' : ''}--confirm ${JSON.stringify(name)}${isUndone ? ',' : ''} to agree.`,
    )
  await context.notes.warn(touches.join('\n'))
  const prompts = await context.prompts()
  if (!(await prompts.typeName(ask, name))) throw needsConsent('Not done: the name did not match.', 'Nothing was changed.')
  context.answered.push(profile.protected ? { flag: '--yes' } : { flag: '--confirm', value: name })
}
