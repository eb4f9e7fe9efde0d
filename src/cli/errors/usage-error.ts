import { ClientFailure } from '../../client/failures/client-failure.ts'

/** Wrong usage: exit 2, nothing was asked of any platform. */
export const usageError = (message: string, hint?: string, next?: readonly string[]): ClientFailure =>
  new ClientFailure({
    exit: 'usage',
    code: 'usage',
    message,
    ...(hint !== undefined && { hint }),
    ...(next && { next }),
  })

/** Consent was needed and not given: exit 10, nothing was done. */
export const consentError = (message: string, hint: string): ClientFailure =>
  new ClientFailure({ exit: 'consent', code: 'consent', message, hint })
