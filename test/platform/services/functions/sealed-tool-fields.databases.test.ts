import { describe, expect, it } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

const secret = 'Bearer sk-live-0123456789abcdefghij'
const draft = {
  name: 'look_up',
  description: 'Looks up an order.',
  endpoint: 'https://crm.example/orders',
  method: 'POST',
  headers: [{ name: 'Authorization', value: secret }],
  static_fields: [{ key: 'api_key', value: 'k-0123456789' }],
}

describe.each(databases)('secrets of mid-call tools on $name', (database) => {
  it('are sealed in the database, and shown as before', async () => {
    const { ask, place } = await fresh(database)
    const stored = async (id: number) =>
      (await tablesOf(place)).read
        .selectFrom('tool')
        .select(['headers', 'static_fields'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    const made = await ask('POST', '/api/user/tools', { body: draft })
    expect(made.body.data).toMatchObject({ headers: draft.headers, static_fields: draft.static_fields })
    const { id } = made.body.data
    for (const text of Object.values(await stored(id))) expect(text).toMatch(/^v1\.[^{]+$/)
    expect((await ask('GET', `/api/user/tools/${id}`)).body).toMatchObject({ headers: draft.headers })
    const listed = (await ask('GET', '/api/user/tools')).body.find((it: { id: number }) => it.id === id)
    expect(listed).toMatchObject({ headers: draft.headers, static_fields: draft.static_fields })
    const headers = [{ name: 'X-Key', value: 'two' }]
    expect((await ask('PUT', `/api/user/tools/${id}`, { body: { headers } })).body.data.headers).toEqual(headers)
    expect((await stored(id)).headers).toMatch(/^v1\./)
    await ask('PUT', `/api/user/tools/${id}`, {
      body: { headers: [{ name: 'Accept', value: 'text/plain' }], static_fields: [{ key: 'source', value: 'phone' }] },
    })
    expect(await stored(id)).toEqual({
      headers: '[{"name":"Accept","value":"text/plain"}]',
      static_fields: '[{"key":"source","value":"phone"}]',
    })
  })

  it('in a URL are sealed, and URLs without them are stored unchanged', async () => {
    const { ask, place } = await fresh(database)
    const stored = async (id: number) =>
      (await tablesOf(place)).read.selectFrom('tool').select('endpoint').where('id', '=', id).executeTakeFirstOrThrow()
    const plain = 'https://crm.example/orders?page={page}'
    for (const endpoint of [
      'https://clerk:pass-0123456789@crm.example/orders',
      'https://crm.example/orders?api_key=k-0123456789abcdef&page={page}',
    ]) {
      const { data } = (await ask('POST', '/api/user/tools', { body: { ...draft, endpoint } })).body
      expect(data.endpoint).toBe(endpoint)
      expect((await stored(data.id)).endpoint).toMatch(/^v1\.[^/]+$/)
      expect((await ask('GET', `/api/user/tools/${data.id}?x=1`)).body.endpoint).toBe(endpoint)
      const { body } = await ask('PUT', `/api/user/tools/${data.id}`, { body: { endpoint: plain } })
      expect(body.data.endpoint).toBe(plain)
      expect((await stored(data.id)).endpoint).toBe(plain)
    }
  })

  it('that an earlier version stored are read, and sealed by the next update', async () => {
    const { ask, place } = await fresh(database)
    const { id } = (await ask('POST', '/api/user/tools', { body: draft })).body.data
    const tables = await tablesOf(place)
    const plain = { headers: JSON.stringify(draft.headers), static_fields: '[]' }
    await tables.write('rows', (query) => query.updateTable('tool').set(plain).where('id', '=', id).execute())
    expect((await ask('GET', `/api/user/tools/${id}?x=1`)).body).toMatchObject({ headers: draft.headers })
    await ask('PUT', `/api/user/tools/${id}`, { body: { headers: draft.headers } })
    const row = await tables.read.selectFrom('tool').select('headers').where('id', '=', id).executeTakeFirstOrThrow()
    expect(row.headers).toMatch(/^v1\./)
  })

  it('that a later version sealed in another way are an error that says to upgrade', async () => {
    const logged: string[] = []
    const { ask, place } = await fresh(database, { log: (text) => logged.push(text) })
    const { id } = (await ask('POST', '/api/user/tools', { body: draft })).body.data
    await (await tablesOf(place)).write('rows', (query) =>
      query.updateTable('tool').set({ headers: 'v2.abc.def' }).where('id', '=', id).execute(),
    )
    const { status, body } = await ask('GET', `/api/user/tools/${id}`)
    expect([status, body.message]).toEqual([503, expect.stringContaining('Upgrade Parley')])
    expect(logged.join()).toContain('VaultError')
  })
})
