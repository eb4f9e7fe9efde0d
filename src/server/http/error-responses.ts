import { Failure, failures, toEnvelope } from '../../contract/errors/failures.ts'

/** Returns a failure as a response, which is stored under an idempotency key. Other errors are thrown. */
export function toErrorResponse(error: unknown): { status: number; body: string } {
  if (!(error instanceof Failure)) throw error
  return { status: failures[error.kind].status, body: JSON.stringify(toEnvelope(error)) }
}

/**
 * Logs an internal error. Returns the failure that the caller receives. It names the host or file of the database only
 * if the caller is the owner of the data folder.
 */
export async function toFailure(
  error: Error,
  request: string,
  { log, isOwner }: { readonly log: (text: string) => void; readonly isOwner: boolean },
): Promise<Failure> {
  const { publicMessages, StoreError } = await import('../../store/database/store-error.ts')
  const { VaultError } = await import('../../services/runtime/vault.ts')
  log(`${request}: ${error.stack ?? error.message}`)
  if (error instanceof StoreError)
    return new Failure('unavailable', {
      text: isOwner ? error.message : publicMessages[error.reason],
      headers: { 'retry-after': '1' },
    })
  // Only the owner of the data folder can fix this, and the message reveals nothing else.
  if (error instanceof VaultError) return new Failure('unavailable', { text: error.message })
  return new Failure('internal')
}
