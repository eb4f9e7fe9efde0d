import { ClientFailure } from '../../../client/failures/client-failure.ts'

// Scripts read the codes and exit statuses of these errors: they never change. The texts may.

/** Creates an error for wrong usage (exit 2). No request was sent. */
export const usageError = (message: string, hint?: string, next?: readonly string[]): ClientFailure =>
  new ClientFailure({
    exit: 'usage',
    code: 'usage',
    message,
    ...(hint !== undefined && { hint }),
    ...(next && { next }),
  })

/** Creates an error for something that the command line names and that does not exist (exit 4). */
export const notFoundError = (message: string, hint?: string): ClientFailure =>
  new ClientFailure({ exit: 'not_found', code: 'not_found', message, ...(hint !== undefined && { hint }) })

/** Creates an error for missing confirmation (exit 10). Nothing was done. */
export const consentError = (message: string, hint: string): ClientFailure =>
  new ClientFailure({ exit: 'consent', code: 'consent', message, hint })
