import { describePlatform } from '../configuration/active-profile.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'

/** Explanation of a rejected key and how to fix it. */
export interface AuthFailure {
  /** Message for people, instead of the platform's own. */
  readonly displayMessage: string
  readonly hint: string
}

/**
 * Explains a request that was rejected for its key (401 or 403): which platform, and the source of the key. Undefined
 * for other errors.
 */
export async function explainAuthFailure(error: unknown, context: Context): Promise<AuthFailure | undefined> {
  const {
    status,
    code,
    message = '',
    hint,
  } = error as { status?: number; code?: string; message?: string; hint?: string }
  // "login" checks a key that is not stored yet, and reports it itself.
  if (context.commandName === 'login') return undefined
  if (status !== 401 && status !== 403 && code !== 'no_key' && code !== 'invalid_key') return undefined
  const settings = await context.settings().catch(() => undefined)
  if (!settings || (code === 'no_key' && settings.baseUrl.value === localProfile.base_url)) return undefined
  const description = describePlatform(settings)
  const platform = /^https?:/.test(description) ? description : `the ${description}`
  const source = `The key comes from ${settings.key.from}.`
  if (code === 'no_key') return { displayMessage: `Missing API key for ${platform}.`, hint: replaceKeyHint(settings) }
  if (code === 'invalid_key') return { displayMessage: message, hint: [hint, source].filter(Boolean).join(' ') }
  if (status === 403)
    return {
      displayMessage: message,
      hint: [hint, `The request went to ${platform}. ${source}`].filter(Boolean).join(' '),
    }
  return { displayMessage: `The API key for ${platform} was rejected.`, hint: `${source} ${replaceKeyHint(settings)}` }
}

function replaceKeyHint({ key, profileName, baseUrl }: Settings): string {
  if (key.from === 'PARLEY_API_KEY') return 'Correct or unset PARLEY_API_KEY.'
  if (key.command !== undefined) return `Check the output of this command: ${key.command}`
  if (baseUrl.value === localProfile.base_url)
    return 'The key was deleted. Create another: parley server accounts key 1.'
  if (profileName.value === baseUrl.value)
    return `Set PARLEY_API_KEY, or sign in: parley login <name> --url ${baseUrl.value}`
  return `Sign in: parley login ${profileName.value}. Or set PARLEY_API_KEY.`
}
