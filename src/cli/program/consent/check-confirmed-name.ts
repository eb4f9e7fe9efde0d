import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'

/**
 * Rejects a value of `--confirm` that is neither one of the names to confirm nor the name of the profile, before
 * anything is sent. @throws ClientFailure `usage`
 */
export async function checkConfirmedName(
  context: Context,
  confirmed: unknown,
  names: readonly unknown[],
): Promise<void> {
  if (typeof confirmed !== 'string') return
  const known = names.flatMap((it) => (it === null || it === undefined || it === '' ? [] : [String(it)]))
  const { profileName } = await context.settings()
  if (confirmed === profileName.value || known.includes(confirmed)) return
  const [name = profileName.value] = known
  throw usageError(
    `--confirm ${stringifyJson(confirmed)} does not match the ${known.length > 0 ? 'name' : 'profile name'} ${stringifyJson(name)}. Nothing was sent.`,
    `To confirm, pass --confirm ${/^[\w.+-]+$/.test(name) ? name : stringifyJson(name)}.`,
  )
}
