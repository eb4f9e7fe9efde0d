import type { Command } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { consentError, usageError } from '../errors/usage-error.ts'
import { checkConfirmedName } from './check-confirmed-name.ts'

export interface ConfirmationRequest {
  /** The question, including price, period and what is lost. */
  readonly question: string
  /** Error message without a terminal; a sentence. */
  readonly refusalMessage: string
}

/**
 * Confirms an action that cannot be undone (destructive, billable): prompts on a terminal (default: No), requires
 * `--yes` elsewhere.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function requireConfirmation(
  context: Context,
  { question, refusalMessage }: ConfirmationRequest,
): Promise<void> {
  if (context.globals.yes) return
  if (!context.interactive) throw consentError(refusalMessage, 'Pass --yes to confirm.')
  const prompts = await context.prompts()
  if (!(await prompts.confirm(question))) throw consentError('Cancelled.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--yes' })
}

/**
 * Checks the profile and `--confirm` before a command writes. What only a local platform has belongs to no profile, and
 * needs no name.
 */
export async function guardCommand(
  context: Context,
  { endpoint, confirmsName }: Pick<Command, 'endpoint' | 'confirmsName'>,
  confirmed: string | boolean | undefined,
): Promise<void> {
  if (endpoint?.auth !== 'control') return guardWrite(context, confirmed as string | undefined, confirmsName)
  if (!confirmsName) await checkConfirmedName(context, confirmed, [])
}

/**
 * Rejects writes in a read-only profile, and asks for the profile name in a protected one. With `mayNameResource`, the
 * command itself checks a value of `--confirm` that is not the profile.
 */
export async function guardWrite(
  context: Context,
  confirmed: string | undefined,
  mayNameResource = false,
): Promise<void> {
  if (!mayNameResource) await checkConfirmedName(context, confirmed, [])
  const { profile, profileName } = await context.settings()
  if (profile.read_only)
    throw usageError(
      `Profile "${profileName.value}" is read-only.`,
      `Allow writes: parley profile set ${profileName.value} --no-read-only. More: parley help profiles.`,
    )
  if (!profile.protected || confirmed === profileName.value) return
  if (!context.interactive)
    throw consentError(
      `Profile "${profileName.value}" is protected: writes require confirmation by name.`,
      `Pass --confirm ${profileName.value} to confirm. More: parley help profiles.`,
    )
  const prompts = await context.prompts()
  if (!(await prompts.confirmName(`Profile "${profileName.value}" is protected.`, profileName.value)))
    throw consentError('Cancelled: the name does not match.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--confirm', value: profileName.value })
}
