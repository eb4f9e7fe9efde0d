import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { PlainRequest } from '../../../../src/contract/endpoint/http-message.ts'
import { inTurns } from '../../../../src/platform/server/http/request-turns.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases } from '../../../support/databases.ts'
import { newPlace, openAt } from '../../../support/platform/test-platforms.ts'

const kinds = [
  {
    what: 'reads',
    table: 'phone_call',
    toRequest: (n: number) => ({ method: 'GET', url: `/api/user/calls?per_page=50&page=${n}` }),
  },
  {
    what: 'writes',
    table: 'folder',
    toRequest: (n: number) => ({ method: 'POST', url: '/api/user/folder', body: JSON.stringify({ name: `f${n}` }) }),
  },
]

describe.each(databases)('requests of several accounts on $name', (database) => {
  if (database.name === 'sqlite') return it.skip('have no connections to wait for')

  it.each(kinds)(
    'are answered in turns, also behind 200 $what of one account that the database has not answered',
    async ({ table, toRequest }) => {
      const place = await newPlace(database)
      const api = await openAt(place, { seed: 7 })
      const { token } = (await api.control('POST', '/control/accounts', { name: 'Other' })).body
      let started = 0
      const handle = inTurns(
        (request) => {
          started++
          return api.platform.handle(request)
        },
        { maxPerAccount: 32, whenLong: () => () => {} },
      )
      const answered: string[] = []
      const send = async (name: string, key: string, n: number): Promise<void> => {
        const request: PlainRequest = {
          ...toRequest(n),
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          context: { endpoint: undefined, account: undefined, traceId: undefined, startedAt: 0 },
        }
        expect((await handle(request)).status).toBeLessThan(300)
        answered.push(name)
      }
      const own = api.platform.credentials().key as string
      // The server knows the keys, and several accounts send requests.
      await send('known', own, 1000)
      await send('known', token, 1000)
      answered.splice(0)

      const holder = new pg.Client({ connectionString: place.database as string })
      await holder.connect()
      afterFile(() => holder.end())
      await holder.query('begin')
      await holder.query(`lock table ${table} in access exclusive mode`)
      started = 0
      const all = Array.from({ length: 200 }, (_, n) => send('a', own, n + 1))
      await expect.poll(() => started, { interval: 1 }).toBe(32)
      all.push(send('b', token, 1))
      await expect.poll(() => started, { interval: 1 }).toBe(33)
      await holder.query('rollback')
      await Promise.all(all)
      expect(answered).toHaveLength(201)
      expect(answered.indexOf('b')).toBeLessThan(100)
    },
  )
})
