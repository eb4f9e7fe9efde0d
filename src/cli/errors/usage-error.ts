import { ClientFailure } from '../../client/failures/client-failure.ts'

/** Creates an error for wrong usage (exit 2). No request was sent. */
export const usageError = (message: string, hint?: string, next?: readonly string[]): ClientFailure =>
  new ClientFailure({
    exit: 'usage',
    code: 'usage',
    message,
    ...(hint !== undefined && { hint }),
    ...(next && { next }),
  })

/** Creates an error for missing confirmation (exit 10). Nothing was done. */
export const consentError = (message: string, hint: string): ClientFailure =>
  new ClientFailure({ exit: 'consent', code: 'consent', message, hint })
