import { liveChangeOf } from '../access/live-changes.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Who must agree to a call where approvals are required: no one, a person to a stored plan, a person to a stored plan if the
 * call changes something that is live (`live`), or a person who makes it. Commands and the client apply it. The server does
 * not: there, the scope of the key decides.
 */
export type ApprovalClass = 'none' | 'live' | 'plan' | 'person'

/**
 * Returns which approval a call needs: a plan if it spends money, deletes something or changes what is live; a person if it
 * grants rights or changes how the platform itself behaves. What only stops something needs none.
 */
export function approvalClass(endpoint: Endpoint, input: unknown): ApprovalClass {
  const { risk, onlyStops, byPerson } = endpoint
  if (byPerson) return 'person'
  if (risk === 'read') return 'none'
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>
  if (typeof onlyStops === 'function' ? onlyStops(fields) : onlyStops === true) return 'none'
  if (risk !== 'write') return 'plan'
  const change = liveChangeOf(endpoint)
  return change === 'never' ? 'none' : change === 'always' ? 'plan' : 'live'
}
