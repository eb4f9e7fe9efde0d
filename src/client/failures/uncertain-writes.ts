import type { Endpoint } from '../../contract/mechanics/endpoint.ts'

/** Statuses after which a write may have been carried out: something gave up waiting, or failed behind whatever took the request. */
const uncertainStatuses: ReadonlySet<number> = new Set([408, 502, 503, 504])

/** Whether a refusal of a write leaves open whether it was carried out. */
export const isOutcomeUncertain = (status: number): boolean => uncertainStatuses.has(status)

/** What to do about a write that may have been carried out: which command shows it, and what repeating it would do. */
export function checkOutcomeHint(endpoint: Endpoint): string {
  if (endpoint.name === 'automate.restore')
    return 'The request may have succeeded, and repeating a restore undoes it. Check the live version first: parley automate get <id>.'
  const noun = endpoint.name.slice(0, endpoint.name.indexOf('.')).replaceAll(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)
  const command =
    endpoint.auth === 'control'
      ? ''
      : `: parley ${noun} ${noun === 'automate' && endpoint.method === 'PUT' ? 'get <id>' : 'list'}`
  return `The request may have succeeded. Check before you repeat it${command}.`
}
