import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import { localProfile } from '../configuration/profiles.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'
import { undoUnavailableCode } from '../history/undo-unavailable.ts'

/**
 * Returns the hint of a failed connection with the source of the URL: its profile and what selected it, a flag or the
 * environment. Undefined for other errors, and for the local platform.
 */
export async function connectionHint(error: unknown, context: Context): Promise<string | undefined> {
  const { hint = '' } = error as { readonly hint?: string }
  // The error of a read without which a write is not sent has the failed read as its cause.
  const { code } = ((error as ClientFailure).code === undoUnavailableCode ? (error as Error).cause : error) as {
    readonly code?: string
  }
  // "login" connects to a URL that is not stored yet.
  if ((code !== 'connection_refused' && code !== 'connection_dns') || context.commandName === 'login') return undefined
  const settings = await context.settings().catch(() => undefined)
  if (!settings || settings.baseUrl.value === localProfile.base_url) return undefined
  return `${describeSource(settings)} ${hint}`.trim()
}

function describeSource({ profileName, baseUrl }: Settings): string {
  if (profileName.value === baseUrl.value) return `${baseUrl.value} comes from ${baseUrl.from}.`
  const selection = profileName.from === 'profile use' ? 'parley profile use' : profileName.from
  return `${baseUrl.value} is the URL of profile "${profileName.value}", selected by ${selection}.`
}
