// The two profiles of a promotion. Each has a context of its own that reaches only its platform, and the target is confirmed
// by name before the first write.

import { stringifyJson } from '../../../../node/json.ts'
import { describePlatform } from '../../../program/configuration/active-profile.ts'
import { readConfiguration } from '../../../program/configuration/profiles.ts'
import { unknownProfile } from '../../../program/configuration/settings.ts'
import { askName } from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { createContext } from '../../../program/create-context.ts'
import { consentError, usageError } from '../../../program/errors/usage-error.ts'
import { promptChoices } from '../../../program/prompts/choices.ts'
import { recordFlag } from '../../../program/prompts/equivalent-command.ts'
import { type System, withParts } from '../../../program/system.ts'

/** A profile of a promotion, with a context that can reach only its platform. */
export interface ProfileSide {
  readonly name: string
  readonly context: Context
  /** `profile "production" (https://platform.example)`. */
  readonly described: string
  readonly baseUrl: string
}

/** The source and the target of a promotion. */
export interface ProfilePair {
  readonly from: ProfileSide
  readonly to: ProfileSide
  close(): Promise<void>
}

/**
 * Opens the profiles of `--from` and `--to`, and prompts for missing ones. Only these two flags choose a platform:
 * whatever else could replace an address or a key is rejected. @throws ClientFailure `usage`
 */
export async function openProfilePair(context: Context, givenFrom: unknown, givenTo: unknown): Promise<ProfilePair> {
  requireNoOverrides(context)
  const from = await profileName(context, givenFrom, '--from', 'Promote from which profile?')
  const to = await profileName(context, givenTo, '--to', 'Promote to which profile?', from)
  if (from === to) throw usageError(`--from and --to are the same profile "${to}".`)
  const source = await openSide(context, from, '--from')
  const target = await openSide(context, to, '--to').catch(async (error: unknown) => {
    await source.context.close()
    throw error
  })
  return {
    from: source,
    to: target,
    async close() {
      await source.context.close()
      await target.context.close()
    },
  }
}

/** Opens the profile of `--to`, and prompts for it if it is missing. @throws ClientFailure `usage` */
export async function openTarget(context: Context, given: unknown): Promise<ProfileSide> {
  requireNoOverrides(context)
  return openSide(context, await profileName(context, given, '--to', 'Undo the promotion to which profile?'), '--to')
}

/** Returns a given profile name, or lets the user pick one. @throws ClientFailure `usage` without a terminal */
async function profileName(
  context: Context,
  given: unknown,
  flag: string,
  question: string,
  except?: string,
): Promise<string> {
  if (typeof given === 'string') return given
  if (!context.interactive)
    throw usageError(`Missing ${flag}. Pass the name of a profile.`, 'List them: parley profile list.')
  const names = Object.keys(readConfiguration(context.system).profiles).filter((it) => it !== except)
  const prompts = await context.prompts()
  const name = await prompts.select(
    question,
    promptChoices(names, (it) => it),
  )
  recordFlag(context, flag, name)
  return name
}

/** Opens a profile, which alone chooses the platform. @throws ClientFailure `usage`, with the flag, for one that does not exist */
export async function openSide(context: Context, name: string, flag: string): Promise<ProfileSide> {
  const { system, command, commandName } = context
  const { profiles } = readConfiguration(system)
  if (!Object.hasOwn(profiles, name)) throw unknownProfile({ value: name, from: flag }, Object.keys(profiles))
  const { baseUrl: _, ...globals } = context.globals
  const own = await createContext({
    system: withoutProfileSettings(system),
    globals: { ...globals, profile: name },
    command,
    commandName,
    approval: context.approvals.origin,
  })
  const settings = await own.settings()
  return { name, context: own, described: describePlatform(settings), baseUrl: settings.baseUrl.value }
}

/** Returns the system without variables that choose a platform, so that the profile is the only source. */
function withoutProfileSettings(system: System): System {
  const { PARLEY_PROFILE: _, PARLEY_BASE_URL: __, PARLEY_API_KEY: ___, ...env } = system.env
  return withParts(system, { env })
}

function requireNoOverrides({ globals, system: { env } }: Context): void {
  const given = [
    [globals.profile, '--profile'],
    [globals.baseUrl, '--base-url'],
    [env.PARLEY_BASE_URL, 'PARLEY_BASE_URL'],
    [env.PARLEY_API_KEY, 'PARLEY_API_KEY'],
  ].find(([value]) => value !== undefined && value !== '')
  if (given)
    throw usageError(
      `${given[1]} cannot be combined with promote, which uses the address and the key of each profile. Nothing was sent.`,
      given[1] === 'PARLEY_API_KEY'
        ? 'Unset it. In CI, give each profile its key: parley profile set <name> --api-key-command "printenv <NAME>_API_KEY".'
        : `Remove ${given[1]}, and pass --from and --to.`,
    )
}

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
  if (await target.approvals.replacesConfirmation(`Apply this to ${described}?`)) return
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
