import { writeCredentials } from '../data-folder/credentials.ts'
import { type ControlDeps, fillPlatform, readPlatformSeed } from './fill-platform.ts'

/** Fills a new platform. Recovers the key if a crash happened between the database and the credentials file. */
export async function preparePlatform(
  deps: ControlDeps,
  { empty, seed = null }: { readonly empty?: boolean; readonly seed?: number | null },
): Promise<void> {
  const { credentials, connection, dataDir } = deps
  const filled = (await readPlatformSeed(deps)) !== undefined
  if (!filled) {
    if (empty) return
    const { Failure } = await import('../../contract/errors/failures.ts')
    await fillPlatform(deps, { seed, replace: false }).catch((error) => {
      if (!(error instanceof Failure)) throw error
    })
  }
  const { key: own, hash } = credentials.current
  if (own !== null && hash !== undefined && filled) return
  const { findLocalKey, insertLocalKey } = await import('../data-folder/local-key.ts')
  const key =
    (filled && own) || (await findLocalKey(connection.read, credentials.current.secret)) || (await insertLocalKey(deps))
  credentials.current = writeCredentials(dataDir, { ...credentials.current, key })
}
