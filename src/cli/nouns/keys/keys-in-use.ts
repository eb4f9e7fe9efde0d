import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { shellQuote } from '../../../client/requests/shell-quote.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { localProfile, type Profile, readConfiguration } from '../../program/configuration/profiles.ts'
import type { Settings } from '../../program/configuration/settings.ts'
import { readLocalCredentials } from '../../program/connection/account-cache.ts'
import { keyFromCommand } from '../../program/connection/connect.ts'
import type { Context } from '../../program/context.ts'
import type { KeyUse } from '../../program/resources/audit-rules.ts'

/**
 * Returns where a profile has a key, if a command can replace it there. The form of a command for the keychain is that of
 * `saveInKeychain` (keychain.ts).
 */
export function savedIn(
  profile: Profile | undefined,
  key: Pick<Settings['key'], 'value' | 'command'>,
): 'file' | 'keychain' | undefined {
  const { api_key: inFile, api_key_command: lookup } = profile ?? {}
  if (inFile !== undefined && key.value === inFile) return 'file'
  const isOfProfile = key.command !== undefined && key.command === lookup
  return isOfProfile && / parley( |$)/.test(` ${lookup}`) && /^(secret-tool|security) /.test(lookup ?? '')
    ? 'keychain'
    : undefined
}

/**
 * Returns the keys that this command and the profiles of this computer use on the platform of a context, by their ids as text. A
 * profile whose command prints no key has none.
 */
export async function readKeysInUse(context: Context): Promise<ReadonlyMap<string, KeyUse>> {
  const { system } = context
  const settings = await context.settings()
  const found = new Map<string, KeyUse>()
  for (const [name, profile] of Object.entries(readConfiguration(system).profiles)) {
    if (profile.base_url !== settings.baseUrl.value) continue
    const { api_key: value, api_key_command: command } = profile
    const printed = command === undefined ? undefined : await keyFromCommand(system, command).catch(() => undefined)
    const isOfFolder = command === undefined && profile.base_url === localProfile.base_url
    const key = value ?? printed ?? (isOfFolder ? readLocalCredentials(dataDir(system))?.key : undefined)
    if (key === undefined || key === null) continue
    const given = { ...(value !== undefined && { value }), ...(command !== undefined && { command }) }
    found.set(keyPrefix(key), {
      text: `Profile "${name}" uses it.`,
      rotateCommand: savedIn(profile, given) && `parley keys rotate --profile ${shellQuote(name)}`,
    })
  }
  const own = await (await context.connection()).key()
  if (own !== undefined && !found.has(keyPrefix(own)))
    found.set(keyPrefix(own), { text: 'This command uses it.', rotateCommand: undefined })
  return found
}
