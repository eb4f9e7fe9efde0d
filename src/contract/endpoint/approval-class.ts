import type { Endpoint } from './endpoint.ts'

/** Who must agree to a call where approvals are required: no one, a person to a stored plan, or a person who makes it. */
export type ApprovalClass = 'none' | 'plan' | 'person'

/**
 * Returns which approval a call needs: a plan if it spends money, deletes something or changes what is live; a person if it
 * grants rights or changes how the platform itself behaves. What only stops something needs none.
 */
export function approvalClass({ risk, onlyStops, byPerson }: Endpoint, input: unknown): ApprovalClass {
  if (byPerson) return 'person'
  if (risk === 'read' || risk === 'write') return 'none'
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>
  return (typeof onlyStops === 'function' ? onlyStops(fields) : onlyStops === true) ? 'none' : 'plan'
}
