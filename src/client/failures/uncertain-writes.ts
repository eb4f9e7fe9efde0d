import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import { ClientFailure } from './client-failure.ts'

/**
 * Statuses after which a write may have been carried out: a timeout, or an error behind the server that accepted the
 * request.
 */
const uncertainStatuses: ReadonlySet<number> = new Set([408, 502, 503, 504])

/** Returns whether a write may have been carried out despite an error status. */
export const isOutcomeUncertain = (status: number): boolean => uncertainStatuses.has(status)

/**
 * Returns whether a write certainly changed nothing: it was refused or not sent. The history then drops the entry of the
 * write, and bulk commands count its rows as failed. In doubt, the answer is false.
 */
export function isRefusedWrite(error: unknown): boolean {
  if (!(error instanceof ClientFailure)) return false
  if (error.exit === 'unknown') return error.sent === false
  const { status, sent } = error
  if (sent === false) return true
  return status === undefined ? sent !== true : status >= 400 && status < 500 && !isOutcomeUncertain(status)
}

/** Returns a hint for a write that may have been carried out: how to check it, and what repeating it would do. */
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
