import { rmSync } from 'node:fs'
import { makeTemporaryFolder } from '../node/make-temporary-folder.ts'

const folders = new Set<string>()

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

function removeAll(): void {
  for (const folder of folders) remove(folder)
}

function createFolder(prefix: string): string {
  try {
    return makeTemporaryFolder(prefix)
  } catch (error) {
    const { message, hint } = error as Error & { readonly hint?: string }
    throw new Error(`${message} ${hint} Or pass the option "dataDir".`, { cause: error })
  }
}

/**
 * Creates a temporary folder. It is removed by `remove`, at the latest when the process or worker ends:
 * a test that forgets to close its platform leaves nothing. @throws Error that names the folder and what to do
 */
export function createTemporaryFolder(prefix: string): { readonly path: string; readonly remove: () => void } {
  const path = createFolder(prefix)
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
