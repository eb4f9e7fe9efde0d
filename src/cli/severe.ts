import type { Context } from './context.ts'
import { needsConsent } from './usage.ts'

export interface Severity {
  /** What is about to happen: `Delete the assistant "Front desk"`. */
  readonly what: string
  /** What it touches, a sentence each. */
  readonly touches: readonly string[]
  /** What has to be typed. */
  readonly name: string
  /** What `--confirm` said. */
  readonly confirmed: string | boolean | undefined
}

/**
 * Consent for what others rely on: shows what it touches and has the name typed; `--confirm <name>` elsewhere, `--yes` is not enough.
 * In a protected profile, whose own name `--confirm` gives, `--yes` stands for the second name.
 * @throws ClientFailure exit 10 when it is not given
 */
export async function severe(context: Context, { what, touches, name, confirmed }: Severity): Promise<void> {
  if (confirmed === name) return
  const { profile, profileName } = await context.settings()
  if (profile.protected && confirmed === profileName.value && context.globals.yes) return
  if (!context.interactive)
    throw needsConsent([`${what} needs its name as consent: it is in use.`, ...touches].join('\n'), `Add --confirm ${JSON.stringify(name)} to agree.`)
  await context.notes.warn(touches.join('\n'))
  const prompts = await context.prompts()
  if (!(await prompts.typeName(`${what}? It is in use.`, name))) throw needsConsent('Not done: the name did not match.', 'Nothing was changed.')
}
