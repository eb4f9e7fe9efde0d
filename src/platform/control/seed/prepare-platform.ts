import { Failure } from '../../../contract/errors/failures.ts'
import { missing, readMarker } from '../../../node/folder-marker.ts'
import { writeCredentials } from '../data-folder/credentials.ts'
import { findLocalKey, insertLocalKey } from '../data-folder/local-key.ts'
import { type ControlDeps, fillPlatform, readPlatformSeed } from './fill-platform.ts'

/**
 * Fills a new platform, and returns whether this process did. Recovers the key if a crash happened between the database
 * and the credentials file.
 */
export async function preparePlatform(
  deps: ControlDeps,
  { empty, seed = null, data }: { readonly empty?: boolean; readonly seed?: number | null; readonly data?: object },
): Promise<boolean> {
  const { credentials, connection, dataDir } = deps
  const filled = (await readPlatformSeed(deps)) !== undefined
  let isNew = !filled
  if (!filled) {
    if (empty) return false
    // A restore or reset of a lost database has failed: it is not a new one.
    if (readMarker(dataDir)?.files.includes('platform.db')) throw missing(dataDir, 'platform.db')
    await fillPlatform(deps, { seed, data, replace: false }).catch((error) => {
      if (!(error instanceof Failure && error.kind === 'platform.not_empty')) throw error
      isNew = false
    })
  }
  const { key: own, hash } = credentials.current
  if (own !== null && hash !== undefined && filled) return false
  // Servers share one key. If it was deleted, none of them adds another.
  const key =
    (filled && own) ||
    (await findLocalKey(connection.read, credentials.current.secret)) ||
    (deps.shareSecrets && filled ? null : await insertLocalKey(deps))
  if (key !== own || hash === undefined)
    credentials.current = writeCredentials(dataDir, { ...credentials.current, key })
  return isNew
}
