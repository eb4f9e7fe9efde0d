import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { fresh, openAt } from '../../../support/platform/test-platforms.ts'

const search = '/api/user/phone-numbers/search?country_code=US'

describe.each(databases)('responses to reads that are asked for again, on $name', (database) => {
  test('change as soon as this or another process writes', async () => {
    const here = await fresh(database)
    const there = await openAt(here.place)
    const tool = async () => (await here.ask('GET', '/api/user/tools/1')).body.description
    const keys = async () => (await here.ask('GET', '/api/user/api-keys')).body.api_keys.length
    const first = async () => (await here.ask('GET', search)).body.data[0].phone_number
    for (const [n, writer] of [here, there, here, there].entries()) {
      const [before, number] = [await keys(), await first()]
      expect([await keys(), await first()]).toEqual([before, number])
      await writer.ask('PUT', '/api/user/tools/1', { body: { description: `Version ${n}` } })
      expect([await tool(), await tool()]).toEqual([`Version ${n}`, `Version ${n}`])
      await writer.ask('POST', '/api/user/api-keys', { body: { name: `key ${n}` } })
      expect([await keys(), await keys()]).toEqual([before + 1, before + 1])
      expect((await writer.buy(number)).status).toBeLessThan(300)
      expect(await first()).not.toBe(number)
    }
  })

  test('belong to the account and the key that asks', async () => {
    const api = await fresh(database)
    const other = await api.account({ name: 'Other' })
    const names = async (key?: string) =>
      (await api.ask('GET', '/api/user/api-keys', key === undefined ? {} : { key })).body.api_keys?.length
    expect([await names(), await names(), await names(other.key), await names(other.key)]).toEqual([3, 3, 1, 1])
    const made = (await api.ask('POST', '/api/user/api-keys', { body: { name: 'short' } })).body.api_key.token
    expect([await names(made), await names(made)]).toEqual([4, 4])
    await api.ask('DELETE', `/api/user/api-keys/${made.split('|')[0]}`)
    expect((await api.ask('GET', '/api/user/api-keys', { key: made })).status).toBe(401)
    expect((await api.ask('GET', '/api/user/api-keys', { key: null })).status).toBe(401)
    expect(await names()).toBe(3)
  })

  test('have a new id, the time of a clock that was set, and the faults that were created since', async () => {
    const here = await fresh(database)
    const there = await openAt(here.place)
    const ask = () => here.ask('GET', search)
    const ids = [await ask(), await ask(), await ask()].map((it) => it.headers['x-request-id'])
    expect(new Set(ids).size).toBe(3)
    expect((await ask()).headers.date).toBeUndefined()
    await there.control('POST', '/control/clock/freeze', { at: '2030-01-01T00:00:00Z' })
    expect((await ask()).headers.date).toBe('Tue, 01 Jan 2030 00:00:00 GMT')
    await there.control('POST', '/control/clock/resume', {})
    expect([(await ask()).headers.date, (await ask()).status]).toEqual([undefined, 200])
    await there.control('POST', '/control/faults', { endpoint: 'numbers.search', status: 503, times: 1 })
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 200])
    await here.control('DELETE', '/control/faults')
    expect((await ask()).status).toBe(200)
  })

  test('do not hide the use of a key', async () => {
    let now = Date.parse('2027-03-01T09:00:00Z')
    const api = await fresh(database, { wall: () => now })
    const lastUse = async () =>
      (await api.ask('GET', '/api/user/api-keys')).body.api_keys.find((it: { id: number }) => it.id === 1).last_used_at
    const first = await lastUse()
    expect(await lastUse()).toBe(first)
    now += 90_000
    expect(await lastUse()).toBe('2027-03-01T09:01:30.000000Z')
  })
})
