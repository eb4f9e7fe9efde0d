import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, for their owner alone; one that is there stays as it is.
 * One at a time, since Node's own recursive way never ends where the system makes no folders: below /proc.
 * @throws Error whose message is why it cannot be, as a phrase
 */
export function makeFolder(folder: string): void {
  const above = dirname(folder)
  if (above !== folder && !existsSync(above)) makeFolder(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
    throw new Error(folderError(code, folder, above) ?? message, { cause: error })
  }
}

function folderError(code: string | undefined, folder: string, above: string): string | undefined {
  if (code === 'EEXIST') return `${folder} is a file`
  if (code === 'ENOTDIR') return `${above} is a file`
  if (code === 'ENOENT') return `folders cannot be created in ${above}`
  if (code === 'EACCES' || code === 'EPERM') return `you do not have write permission in ${above}`
  if (code === 'EROFS') return `${above} is read-only`
  return code === 'ENOSPC' ? `there is no space left on the disk of ${above}` : undefined
}
