import { parseCapabilities } from '../../contract/endpoint/capabilities.ts'
import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import { replayedHeader } from '../../contract/endpoint/headers.ts'
import type { PlainResponse } from '../../contract/endpoint/http-message.ts'
import { type FailureName, wireCode } from '../../contract/errors/failures.ts'
import { isAboutKey } from './client-failure.ts'

/** Returns whether any endpoint may return an error to an outcome query, a request that only asks for the outcome of an earlier one. */
const isCommonAnswer = (name: FailureName): boolean => name === 'invalid' || isAboutKey({ code: wireCode(name) })

/** Statuses that concern the query, and that are reported as such. */
const queryStatuses: ReadonlySet<number> = new Set([401, 429])

/**
 * Returns whether an error response to an outcome query is an answer of the platform. Any other, such as the 404 of a
 * gateway, only says that the query was not answered: the earlier request may have been carried out. A wrong `true` would settle
 * an operation of the journal that may have been paid.
 */
export function isOutcomeAnswer(
  { errors }: Endpoint,
  { status, headers }: PlainResponse,
  name: FailureName | undefined,
): boolean {
  if (queryStatuses.has(status)) return true
  if (!parseCapabilities(headers).has('idempotency')) return false
  return (
    headers[replayedHeader] !== undefined || (name !== undefined && (errors.includes(name) || isCommonAnswer(name)))
  )
}
