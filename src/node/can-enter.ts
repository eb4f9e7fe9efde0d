import { accessSync, constants } from 'node:fs'

/** Returns whether this user may open files of a folder. */
export function canEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}
