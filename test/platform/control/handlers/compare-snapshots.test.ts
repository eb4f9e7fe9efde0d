import { expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

test('two snapshots are compared by what was created, changed and deleted, with masked values', async () => {
  const api = await fresh(sqlite, { seed: 7 })
  await api.account({ name: 'Second', balance: 5 })
  await api.control('POST', '/control/snapshots', { name: 'one' })
  const compare = async (query = '') => (await api.control('GET', `/control/snapshots/one/compare${query}`)).body
  expect(await compare()).toEqual({ from: 'one', to: null, data: [] })

  const tools = (await api.ask('GET', '/api/user/tools')).body
  const [tool] = tools
  const headers = [{ name: 'X-Api-Key', value: 'sk_live_abcdefghijklmnop1234' }]
  expect((await api.ask('PUT', `/api/user/tools/${tool.id}`, { body: { timeout: 29, headers } })).status).toBe(200)
  expect((await api.ask('POST', '/api/user/api-keys', { body: { name: 'Later' } })).status).toBe(201)
  await api.control('DELETE', '/control/accounts/2')
  await api.control('POST', '/control/snapshots', { name: 'two' })
  await api.account({ name: 'Third' })

  const { from, to, data } = await compare('?to=two')
  expect([from, to]).toEqual(['one', 'two'])
  const of = (resource: string) => data.find((it: { resource: string }) => it.resource === resource)
  expect(of('accounts')).toMatchObject({ created: 0, deleted: 1, records: [{ change: 'deleted', name: 'Second' }] })
  expect(of('keys').records).toContainEqual(expect.objectContaining({ change: 'created', name: 'Later' }))
  expect(of('tools')).toMatchObject({
    changed: 1,
    records: [
      {
        change: 'changed',
        name: tool.name,
        fields: expect.arrayContaining([
          { field: 'timeout', before: String(tool.timeout), after: '29' },
          expect.objectContaining({ field: 'headers', after: '••• hidden' }),
        ]),
      },
    ],
  })
  expect(JSON.stringify(data)).not.toMatch(/sk_live|"v1\./)
  expect(of('leads')).toBeUndefined()
  // The numbers stay complete with fewer records.
  expect((await compare('?limit=1')).data.find((it: { resource: string }) => it.resource === 'accounts')).toMatchObject(
    {
      created: 1,
      deleted: 1,
      records: [{ name: 'Third' }, { name: 'Second' }],
    },
  )
  expect(await api.control('GET', '/control/snapshots/one/compare?to=none')).toMatchObject({ status: 404 })
})
