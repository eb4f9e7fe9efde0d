import type { Context } from '../context.ts'
import type { System } from '../system.ts'
import { dataDir } from './app-folders.ts'
import { localProfile, readConfiguration } from './profiles.ts'
import { settingSources } from './setting-origins.ts'
import { findProjectFile, resolveSettings, type Settings, unknownProfileCode } from './settings.ts'

/** Returns an address for messages. */
export const platformAddress = (baseUrl: string): string =>
  baseUrl === localProfile.base_url ? 'local platform' : baseUrl

/** Returns an address for lists of fields, with the data folder of the local platform. */
export const platformText = (system: System, baseUrl: string): string =>
  baseUrl === localProfile.base_url ? `local platform (${dataDir(system)})` : baseUrl

/**
 * Describes a platform: `profile "staging" (https://platform.example)`, or only its address if a flag or the
 * environment sets it.
 */
export function describePlatform({ profileName, baseUrl }: Pick<Settings, 'profileName' | 'baseUrl'>): string {
  const address = platformAddress(baseUrl.value)
  return profileName.value === baseUrl.value ? address : `profile "${profileName.value}" (${address})`
}

/** Returns ` [staging]` for the end of the sentence about a write; nothing for a local platform or a bare address. */
export const profileSuffix = ({ profileName, baseUrl }: Pick<Settings, 'profileName' | 'baseUrl'>): string =>
  baseUrl.value === localProfile.base_url || profileName.value === baseUrl.value ? '' : ` [${profileName.value}]`

/**
 * Notes which platform later commands use. `wanted` is the profile that "profile use" or "login" just selected;
 * anything that overrides it is reported.
 */
export async function noteActiveProfile({ system, notes, globals }: Context, wanted?: string): Promise<void> {
  let settings: Settings
  try {
    settings = await resolveSettings(system, globals.insecure ? { insecure: true } : {}, await findProjectFile(system))
  } catch (error) {
    if ((error as { code?: string }).code !== unknownProfileCode) throw error
    await notes.warn((error as Error).message)
    return
  }
  const { profileName, key } = settings
  const { value, from } = profileName
  const platform = describePlatform(settings)
  const isOverridden = from !== settingSources.profileUse && from !== settingSources.builtIn
  if (wanted === undefined || value === wanted)
    await notes.note(`Commands use the ${platform}${isOverridden ? `, set by ${from}` : ''}.`)
  else if (isOverridden)
    await notes.warn(
      `Commands still use the ${platform}: ${from} overrides "parley profile use". ${from.startsWith('PARLEY_') ? `Unset ${from}` : `Change ${from}`}, or pass --profile ${wanted}.`,
    )
  else
    await notes.note(
      `Commands use the ${platform}. To use "${wanted}": parley profile use ${wanted}, or pass --profile ${wanted}.`,
    )
  if (key.from === 'PARLEY_API_KEY') await notes.warn('PARLEY_API_KEY is set and overrides the key of every profile.')
}

/** Notes what overrides the profile of "profile use" for this command, if anything does. */
export async function noteProfileOverride(context: Context): Promise<void> {
  const settings = await context.settings().catch(() => undefined)
  if (!settings || settings.profileName.value === readConfiguration(context.system).current) return
  await context.notes.note(
    `Commands use the ${describePlatform(settings)}: ${settings.profileName.from} overrides "parley profile use".`,
  )
}
