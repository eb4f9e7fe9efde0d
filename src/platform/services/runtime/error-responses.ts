import { Failure, failures, toEnvelope } from '../../../contract/errors/failures.ts'
import { stringifyJson } from '../../../node/json.ts'
import { publicMessages, StoreError } from '../../store/database/store-error.ts'
import type { CountEvent } from './deps.ts'
import { VaultError } from './vault.ts'

/** Reasons by which failures of the database are counted. */
export const databaseFailureReasons: readonly string[] = Object.keys(publicMessages)

/** Returns a failure as a response, which is stored under an idempotency key. Other errors are thrown. */
export function toErrorResponse(error: unknown): { status: number; body: string } {
  if (!(error instanceof Failure)) throw error
  return { status: failures[error.kind].status, body: stringifyJson(toEnvelope(error)) }
}

/**
 * Logs an internal error. Returns the failure that the caller receives, which names neither the host nor the file of the
 * database. The log does.
 */
export async function toFailure(
  error: Error,
  request: string,
  log: (text: string, reason?: string) => void,
  countEvent?: CountEvent,
): Promise<Failure> {
  const isStoreError = error instanceof StoreError
  if (isStoreError) countEvent?.('databaseFailure', { subject: error.reason })
  log(`${request}: ${error.stack ?? error.message}`, isStoreError ? error.message : undefined)
  if (isStoreError)
    return new Failure('unavailable', { text: publicMessages[error.reason], headers: { 'retry-after': '1' } })
  // Only the owner of the data folder can fix this, and the message reveals nothing else.
  if (error instanceof VaultError) return new Failure('unavailable', { text: error.message })
  return new Failure('internal')
}
