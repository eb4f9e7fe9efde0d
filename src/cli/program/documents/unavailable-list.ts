import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import type { FileKind } from '../resources/file-kind.ts'

/** Statuses of a list that the deployment does not offer or that the API key may not read. */
const unavailableStatuses: ReadonlySet<number> = new Set([403, 404, 405, 501])

/** Returns whether an error means that a list is unavailable. Any other error stops the command. */
export const isListUnavailable = (error: unknown): error is ClientFailure =>
  error instanceof ClientFailure && unavailableStatuses.has(error.status ?? 0)

/**
 * Warns that the platform cannot read and write a kind. @throws ClientFailure `usage` if a push needs the kind for its
 * files
 */
export async function reportUnsupported(
  { notes }: Context,
  { noun, capability }: FileKind,
  files: readonly string[],
  isNeeded: boolean,
): Promise<void> {
  const reason = `the platform does not have the capability "${capability}"`
  if (isNeeded && files.length > 0)
    throw usageError(
      `Files of ${noun} cannot be compared: ${reason}: ${files.join(', ')}. Nothing was changed.`,
      'Exclude them with --only, or delete them.',
    )
  await notes.warn(`Skipped ${noun}: ${reason}.`)
}
