import { accessSync, constants } from 'node:fs'

/**
 * Returns whether this user may open files of a folder. A file that cannot be read is reported only in a folder that can be
 * entered: otherwise the folder is the cause, which opening its data reports.
 */
export function canEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}
