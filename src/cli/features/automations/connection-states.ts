import { accounts } from '../../../contract/control/accounts.ts'
import { connections } from '../../../contract/control/connections.ts'
import { user } from '../../../contract/resources/user.ts'
import { findRequiredConnections } from '../../../engine/analysis/required-connections.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import type { Context } from '../../program/context.ts'

/**
 * Returns the connections that a definition needs and their state. The state is `unknown` if the platform does not list
 * connections.
 */
export async function connectionStates(context: Context, definition: object): Promise<Requirement[]> {
  const { kinds, names } = findRequiredConnections(definition as never)
  const wanted = [...new Set<string>([...kinds, ...names])]
  if (wanted.length === 0) return []
  const known = await listAccountConnections(context)
  return wanted.map((id) => {
    if (!known) return { kind: 'connection', id, state: 'unknown' }
    // A step that needs only a kind accepts any connection of that kind.
    const found =
      known.find((it) => it.name === id) ??
      known.filter((it) => it.kind === id).sort((a, b) => (a.status < b.status ? -1 : 1))[0]
    return { kind: 'connection', id, state: !found ? 'missing' : found.status === 'expired' ? 'expired' : 'present' }
  })
}

/** Returns the connections of the account of the API key; undefined if they cannot be listed. */
async function listAccountConnections(
  context: Context,
): Promise<readonly { readonly name: string; readonly kind: string; readonly status: string }[] | undefined> {
  const { baseUrl } = await context.settings()
  if (baseUrl.value !== localProfile.base_url && !context.system.env.PARLEY_CONTROL_TOKEN) return undefined
  try {
    const { email, name } = await context.call(user.me, {})
    const { data } = await context.call(accounts.list, {})
    const matches = data.filter((it) => it.email === email && it.name === name)
    if (matches.length !== 1) return undefined
    return (await context.call(connections.list, { account: (matches[0] as { id: number }).id })).data
  } catch {
    return undefined
  }
}

/** A resource that an earlier version needs, and whether it exists. */
export interface Requirement {
  /** `connection`, `assistant`, `number` and so on. */
  readonly kind: string
  readonly id: string
  readonly state: 'present' | 'missing' | 'expired' | 'unknown'
}
