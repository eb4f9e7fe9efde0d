import { join } from 'node:path'
import type { PlatformSettings } from '../../../src/platform/platform-settings.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { afterFile } from '../cleanup.ts'
import { opened, schemaTemplate, type TestDatabase, temporaryFolder } from '../databases.ts'
import { type Api, openApi, type Place } from './platform-api.ts'

/** Returns an empty place for this dialect, deleted after the tests of the file. */
export async function newPlace(database: TestDatabase): Promise<Place> {
  const dataDir = temporaryFolder()
  if (database.name === 'sqlite') return { dataDir }
  const target = await database.target()
  return 'url' in target ? { dataDir, database: target.url } : { dataDir }
}

/** Opens the tables of a platform, to check its data. */
export const tablesOf = ({ dataDir, database }: Place): Promise<Connection> =>
  opened(database === undefined ? { file: join(dataDir, 'platform.db') } : { url: database })

/** Opens the platform at a place and closes it after the tests of the file, unless the test has closed it. */
export async function openAt(place: Place, settings: Partial<PlatformSettings> = {}): Promise<Api> {
  const api = await openApi(place, { template: schemaTemplate, ...settings })
  afterFile(() => api.platform.close())
  return api
}

/** Opens a platform in a new place. */
export const fresh = async (
  database: TestDatabase,
  settings?: Partial<PlatformSettings>,
): Promise<Api & { readonly place: Place }> => {
  const place = await newPlace(database)
  return { ...(await openAt(place, settings)), place }
}
