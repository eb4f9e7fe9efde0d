import { ClientFailure } from '../../../client/failures/client-failure.ts'

/**
 * Returns the failure with which a platform answered an outcome query.
 *
 * @throws the error itself if it says nothing about the outcome: no response, a rejected key or a rate limit
 */
export function outcomeFailure(error: unknown): ClientFailure {
  if (
    !(error instanceof ClientFailure) ||
    error.status === undefined ||
    error.exit === 'auth' ||
    error.exit === 'rate_limited'
  )
    throw error
  return error
}
