import { stringifyJson } from '../../../node/json.ts'
import { askName } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { consentError, usageError } from '../../program/errors/usage-error.ts'
import type { ProfileSide } from './profile-pair.ts'

/**
 * Confirms writes to a profile by its name. `--yes` is not enough. With `isAskedAgain` a terminal also asks despite
 * `--confirm`. @throws ClientFailure exit 10 without confirmation,
 * `usage` for a read-only profile and for another name
 */
export async function confirmTarget(
  context: Context,
  { name, described, context: target }: ProfileSide,
  confirmed: unknown,
  isAskedAgain: boolean,
): Promise<void> {
  const settings = await target.settings()
  if (settings.profile.read_only)
    throw usageError(`Profile "${name}" is read-only.`, `Allow writes: parley profile set ${name} --no-read-only.`)
  if (confirmed === name && !(isAskedAgain && context.interactive)) return
  if (confirmed !== undefined && confirmed !== name)
    throw usageError(
      `--confirm ${stringifyJson(confirmed)} is not the name of the target profile "${name}". Nothing was sent.`,
      `Pass --confirm ${name} to confirm.`,
    )
  if (!context.interactive)
    throw consentError(`Changing ${described} requires confirmation by name.`, `Pass --confirm ${name} to confirm.`)
  if (!(await askName(context, `Apply this to ${described}?`, name, { settings })))
    throw consentError('Cancelled: the name does not match.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--confirm', value: name })
}
