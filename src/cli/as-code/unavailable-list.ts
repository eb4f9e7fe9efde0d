import { ClientFailure } from '../../client/failures/client-failure.ts'

/** Statuses of a list that the deployment does not offer or that the API key may not read. */
const unavailableStatuses: ReadonlySet<number> = new Set([403, 404, 405, 501])

/** Returns whether an error means that a list is unavailable. Any other error stops the command. */
export const isListUnavailable = (error: unknown): error is ClientFailure =>
  error instanceof ClientFailure && unavailableStatuses.has(error.status ?? 0)
