import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { localProfile } from '../../program/configuration/profiles.ts'
import { localPrefix } from '../../program/configuration/purge-bulk-progress.ts'

/**
 * Returns the path of a file that records the progress of bulk operations on a platform. A file of an earlier version,
 * which had no prefix, is renamed.
 */
export function progressFile(folder: string, baseUrl: string, name: string): string {
  if (baseUrl !== localProfile.base_url) return join(folder, name)
  const file = join(folder, `${localPrefix}${name}`)
  const earlier = join(folder, name)
  if (existsSync(earlier) && !existsSync(file)) renameSync(earlier, file)
  return file
}
