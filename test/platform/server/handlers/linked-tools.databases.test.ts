import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

describe.each(databases)('a tool that is linked to an automation, on $name', (database) => {
  let api: Api
  let linked: Readonly<Record<string, unknown>>
  let path: string
  const call = { name: 'flow', description: 'Runs it.', endpoint: 'https://flow.example/sync', method: 'POST' }
  beforeAll(async () => {
    api = await fresh(database)
    const reset = await api.control('POST', '/control/reset', {
      data: { version: 1, accounts: [{ name: 'One', tools: [{ ...call, type: 'automation' }] }] },
    })
    expect(reset.status, reset.text).toBe(200)
    const { body } = await api.ask('GET', '/api/user/tools', { key: reset.body.token })
    linked = body.find((it: { name: string }) => it.name === 'flow')
    path = `/api/user/tools/${linked.id}`
  })

  test.each([
    ['endpoint', 'no address'],
    ['endpoint', null],
    ['endpoint', 7],
    ['method', 'BREW'],
    ['method', ''],
    ['method', null],
    ['body_format', 'xml'],
    ['body_format', ['json']],
    ['endpoint', 'https://other.example'],
  ])('ignores %s: %j, stores the other fields and names what it ignored', async (field, value) => {
    const answer = await api.ask('PUT', path, { body: { description: 'Changed.', [field]: value } })
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'parley-ignored': field },
      body: { data: { ...call, description: 'Changed.', type: 'automation' } },
    })
    const unchanged = { ...linked, description: 'Changed.', updated_at: expect.any(String) }
    expect((await api.ask('GET', path)).body).toEqual(unchanged)
  })

  test('ignores an endpoint that is too long for other tools', async () => {
    const endpoint = `https://flow.example/${'x'.repeat(2048)}`
    expect(await api.ask('PUT', path, { body: { endpoint } })).toMatchObject({
      status: 200,
      body: { data: { endpoint: call.endpoint } },
    })
  })

  test('still validates the fields that it stores', async () => {
    const refused = await api.ask('PUT', path, { body: { endpoint: 'no address', timeout: 99 } })
    expect(refused).toMatchObject({ status: 422, body: { message: 'Validation failed' } })
    expect(Object.keys(refused.body.errors)).toEqual(['timeout'])
  })

  test('differs from another tool, whose invalid fields are refused', async () => {
    const { body } = await api.ask('POST', '/api/user/tools', { body: { ...call, name: 'plain' } })
    for (const fields of [{ endpoint: 'no address' }, { method: 'BREW' }, { body_format: 'xml', type: 'automation' }])
      expect(await api.ask('PUT', `/api/user/tools/${body.data.id}`, { body: fields })).toMatchObject({ status: 422 })
    for (const id of ['999999', 'x', '9007199254740993'])
      expect(await api.ask('PUT', `/api/user/tools/${id}`, { body: { timeout: 5 } })).toMatchObject({ status: 404 })
  })
})
