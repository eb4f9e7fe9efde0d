import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFileError } from './file-error.ts'

/**
 * Creates a folder in the folder for temporary files and returns its path. @throws Error that names the folder, if it cannot be
 * written; the command line ends with its `exit` and prints its `hint`
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

const folders = new Set<string>()

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

function removeAll(): void {
  for (const folder of folders) remove(folder)
}

/**
 * Creates a temporary folder. It is removed by `remove`, at the latest when the process or worker ends: a test that
 * forgets to close its platform leaves nothing. @throws Error as `makeTemporaryFolder`
 */
export function createTemporaryFolder(prefix: string): { readonly path: string; readonly remove: () => void } {
  const path = makeTemporaryFolder(prefix)
  if (folders.size === 0) process.once('exit', removeAll)
  folders.add(path)
  return {
    path,
    remove() {
      remove(path)
      folders.delete(path)
      if (folders.size === 0) process.removeListener('exit', removeAll)
    },
  }
}
