import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFileError } from './file-error.ts'

/**
 * Creates a folder in the folder for temporary files and returns its path. @throws Error that names the folder, with a
 * hint, if it cannot be written
 */
export function makeTemporaryFolder(prefix: string): string {
  const parent = tmpdir()
  try {
    return mkdtempSync(join(parent, prefix))
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : describeFileError(error)
    throw Object.assign(new Error(`Could not create a temporary folder in ${parent}: ${reason}.`, { cause: error }), {
      exit: 'usage',
      hint: 'Set TMPDIR to a folder that can be written.',
    })
  }
}
