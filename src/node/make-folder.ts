import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents, accessible to their owner only. An existing folder is not changed. It
 * creates them one at a time, because Node's recursive option never returns where the system allows no folders, as
 * below /proc.
 * @throws Error whose message is the reason, as a phrase
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
