import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import type { Api, Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})
const credentialsOf = ({ dataDir }: Place) => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
const keyNames = async (api: Api): Promise<string[]> =>
  (await api.ask('GET', '/api/user/api-keys')).body.api_keys.map((it: { name: string }) => it.name)

describe.each(databases)('a new platform on $name', (database) => {
  test('opened by two processes at the same time gets sample data once, with one working key', async () => {
    const workers = [start(), start()]
    for (const process of workers) afterFile(() => process.kill())
    for (let round = 0; round < (database.name === 'sqlite' ? 10 : 5); round++) {
      const place = await newPlace(database)
      const found = await Promise.all(workers.map((it) => it.tell({ do: 'open', settings: place })))
      expect(found[0], `round ${round}`).toEqual(found[1])
      expect(found[0].key).toBe(credentialsOf(place).key)
      const headers = { authorization: `Bearer ${found[0].key}` }
      for (const process of workers)
        expect(
          await process.tell({ do: 'handle', request: { method: 'GET', url: '/api/user/me', headers } }),
        ).toMatchObject({ status: 200 })
      const api = await openAt(place)
      expect(await keyNames(api)).toEqual(['local', 'ci', 'dashboard'])
      expect((await api.control('GET', '/control/accounts')).body.data).toHaveLength(1)
      await api.platform.close()
      for (const process of workers) await process.tell({ do: 'close' })
    }
  })
})
