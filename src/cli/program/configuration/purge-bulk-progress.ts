import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { System } from '../system.ts'
import { dataDir } from './app-folders.ts'

/** Prefix of the names of files about the local platform; a reset of the platform deletes them. Existing files are found by it: it never changes. */
export const localPrefix = 'local-'

/** Endings of the names of progress files, and of indexes of what was sent. Existing files have them: they never change. */
export const progressEnds = { progress: '.ledger', sent: '.reached' } as const

/** Returns the folder of progress files, sent indexes and copies of standard input. */
export const bulkFolder = (system: Pick<System, 'env' | 'home' | 'os'>): string => join(dataDir(system), 'bulk')

/** Returns the name of the copy of standard input of a process. `deleteLeftCopies` finds those of processes that have ended by it. */
export const inputCopyName = (pid: number, mark: string): string => `stdin-${pid}-${mark}.part`

/**
 * Deletes the progress files and sent indexes whose last row was sent before `beforeMs` (milliseconds since 1970), except
 * those that a process has locked, and copies of standard input that a killed process left. Returns the number of deleted progress files.
 */
export function purgeProgressFiles(system: Pick<System, 'env' | 'home' | 'os' | 'isAlive'>, beforeMs: number): number {
  const folder = bulkFolder(system)
  if (!existsSync(folder)) return 0
  deleteLeftCopies(system, folder, beforeMs)
  const old = readdirSync(folder)
    .filter((name) => Object.values(progressEnds).some((it) => name.endsWith(it)))
    .filter((name) => !existsSync(join(folder, `${name}.lock`)))
    .map((name) => join(folder, name))
    .filter((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? beforeMs) < beforeMs)
  for (const file of old) rmSync(file, { force: true })
  return old.filter((file) => file.endsWith(progressEnds.progress)).length
}

/** Deletes the progress files of the local platform, after its data was replaced. */
export function deleteLocalProgress(system: Pick<System, 'env' | 'home' | 'os'>): void {
  const folder = bulkFolder(system)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(localPrefix)) rmSync(join(folder, name), { force: true })
}

/**
 * Deletes copies of standard input that a killed process left, from before a time (milliseconds since 1970). A process
 * of another container does not seem to be alive, so recent copies stay.
 */
export function deleteLeftCopies(system: Pick<System, 'isAlive'>, folder: string, beforeMs: number): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^stdin-(\d+)-.*\.part$/.exec(name) ?? []
    if (pid === undefined || system.isAlive(Number(pid))) continue
    const file = join(folder, name)
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? beforeMs) < beforeMs) rmSync(file, { force: true })
  }
}
