import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../folder.ts'
import type { World } from '../../../world.ts'
import { dataDir } from '../../folders.ts'
import { usage } from '../../usage.ts'

const folderOf = (world: World, id: string): string => join(dataDir(world), 'history', 'automations', id.replaceAll(/[^\w-]/g, '_').slice(0, 64))

/** The copy kept last, and where; undefined where there is none that can be read. */
export function lastCopy(world: World, id: string): { readonly file: string; readonly definition: unknown } | undefined {
  try {
    const folder = folderOf(world, id)
    const last = readdirSync(folder)
      .filter((it) => it.endsWith('.json'))
      .sort()
      .at(-1)
    if (last === undefined) return undefined
    const file = join(folder, last)
    return { file, definition: (JSON.parse(readFileSync(file, 'utf8')) as { definition: unknown }).definition }
  } catch {
    return undefined
  }
}

/**
 * Keeps a copy of an automation in the data folder, for its owner alone; answers its path.
 * @throws ClientFailure `usage` when it cannot be kept: what cannot be looked up again is not replaced
 */
export function keepCopy(world: World, id: string, automation: object): string {
  const folder = folderOf(world, id)
  const file = join(folder, `${new Date(world.now()).toISOString().replaceAll(':', '-')}.json`)
  try {
    makeFolder(folder)
    writeFileSync(file, `${JSON.stringify(automation, null, 2)}\n`, { mode: 0o600 })
  } catch (error) {
    throw usage(`The definition that is live could not be kept: ${(error as Error).message}.`, 'Nothing was changed.')
  }
  return file
}
