import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

function removeAll(): void {
  for (const folder of folders) remove(folder)
}

/**
 * Creates a temporary folder. It is removed by `remove`, at the latest when the process or worker ends:
 * a test that forgets to close its platform leaves nothing.
 */
export function createTemporaryFolder(prefix: string): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), prefix))
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
