import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import type { Context } from '../../program/context.ts'
import { lockWork } from '../../program/errors/lock-work.ts'

/**
 * Runs `work` while no other process on this computer pulls or pushes the folder: two pushes at once would create every
 * new resource twice. @throws ClientFailure `conflict` while another one is running
 */
export async function whileLocked<T>({ system }: Context, folder: string, work: () => Promise<T>): Promise<T> {
  const path = existsSync(folder) ? realpathSync(folder) : folder
  // Two versions must lock the same file: the name never changes.
  const name = createHash('sha256').update(path).digest('hex').slice(0, 32)
  let release = (): void => {}
  try {
    release = lockWork(
      join(dataDir(system), 'folders', `${name}.lock`),
      system,
      (it) => `${it} is synchronizing the folder ${folder}. Nothing was changed.`,
    ).release
  } catch (error) {
    if (error instanceof ClientFailure) throw error
    // A container may have no data folder that can be written. A remote deployment needs none.
  }
  try {
    return await work()
  } finally {
    release()
  }
}
