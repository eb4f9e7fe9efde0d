import { ClientFailure } from '../../client/failures/client-failure.ts'

/** Statuses of a list that a deployment does not have, or does not show to this key. */
const unavailableStatuses: ReadonlySet<number> = new Set([403, 404, 405, 501])

/** Whether a failure means that a list is not offered: nothing can be said about what would be in it. Any other failure stops the command. */
export const isListUnavailable = (error: unknown): error is ClientFailure =>
  error instanceof ClientFailure && unavailableStatuses.has(error.status ?? 0)
