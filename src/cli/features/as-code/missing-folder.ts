import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import { usageError } from '../../program/errors/usage-error.ts'

/** Returns whether a folder is a project: what `parley pull` wrote. */
export const isProject = (folder: string): boolean =>
  existsSync(join(folder, 'parley.lock.json')) || existsSync(join(folder, 'assistants'))

/**
 * Creates the error for a project folder that does not exist. Its hint is `here` when the command was started inside a
 * project and no folder was given.
 */
export const missingFolderError = (
  folder: string,
  { cwd, here, pull }: { readonly cwd: string; readonly here: string; readonly pull: string },
): ClientFailure =>
  usageError(
    `Folder ${folder} not found.`,
    folder === join(cwd, 'parley') && isProject(cwd)
      ? `The current folder is a project. To use it: ${here}`
      : `Export the platform to it: ${pull}`,
  )
