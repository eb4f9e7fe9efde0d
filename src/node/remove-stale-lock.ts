import { renameSync, rmSync } from 'node:fs'
import { linkFile } from './replace-file.ts'

/**
 * Removes a stale lock file. Two processes may find the same one: `isSame` returns whether a file has the content that
 * was found stale, and the new lock of the other process is put back.
 */
export function removeStaleLock(file: string, pid: number, isSame: (path: string) => boolean): void {
  const staleFile = `${file}.${pid}.stale`
  try {
    renameSync(file, staleFile)
    if (!isSame(staleFile)) linkFile(staleFile, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    rmSync(staleFile, { force: true })
  }
}
