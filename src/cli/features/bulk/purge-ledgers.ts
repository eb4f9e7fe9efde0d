import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dataDir } from '../../program/configuration/app-folders.ts'
import type { System } from '../../program/system.ts'
import { localPrefix } from './progress-files.ts'
import { deleteLeftCopies } from './rows/row-source.ts'

/**
 * Deletes the ledgers and sent indexes whose last row was sent before `beforeMs` (milliseconds since 1970), except
 * those that a process has locked, and copies of standard input that a killed process left. Returns the number of
 * deleted ledgers.
 */
export function purgeLedgers(system: Pick<System, 'env' | 'home' | 'os' | 'isAlive'>, beforeMs: number): number {
  const folder = join(dataDir(system), 'bulk')
  if (!existsSync(folder)) return 0
  deleteLeftCopies(system, folder, beforeMs)
  const old = readdirSync(folder)
    .filter((name) => /\.(ledger|reached)$/.test(name) && !existsSync(join(folder, `${name}.lock`)))
    .map((name) => join(folder, name))
    .filter((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? beforeMs) < beforeMs)
  for (const file of old) rmSync(file, { force: true })
  return old.filter((file) => file.endsWith('.ledger')).length
}

/** Deletes the progress files of the local platform, after its data was replaced. */
export function deleteLocalProgress(system: Pick<System, 'env' | 'home' | 'os'>): void {
  const folder = join(dataDir(system), 'bulk')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(localPrefix)) rmSync(join(folder, name), { force: true })
}
