import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const unauthenticated = { status: 401, text: '{"message":"Unauthenticated."}' }

describe.each(databases)('authentication on $name', (database) => {
  let api: Api
  let other: TestAccount
  beforeAll(async () => {
    api = await fresh(database)
    other = await api.account({ name: 'Other' })
  })
  const me = (authorization: string) => api.ask('GET', '/api/user/me', { key: null, headers: { authorization } })

  test('a key gives access to its own account', async () => {
    expect(await api.ask('GET', '/api/user/me')).toMatchObject({
      status: 200,
      body: { name: 'Northwind Dental', email: 'operations@northwind.example', total_balance: 25 },
    })
    expect(await api.ask('GET', '/api/user/me', { key: other.key })).toMatchObject({
      status: 200,
      body: { name: 'Other', total_balance: 0 },
    })
  })

  test('a request without a key is rejected', async () => {
    expect(await api.ask('GET', '/api/user/me', { key: null })).toMatchObject(unauthenticated)
    expect(await api.ask('POST', '/api/user/tools', { key: null, body: {} })).toMatchObject(unauthenticated)
  })

  test('a key with any error is rejected', async () => {
    const [id = '', secret = ''] = other.key.split('|')
    const wrong = [
      '',
      secret,
      id,
      `${id}|`,
      `|${secret}`,
      `${id}|${secret}x`,
      `${id}|${secret.slice(1)}`,
      `${id}|${secret.toLowerCase()}`,
      `${Number(id) - 1}|${secret}`,
      `0${id}|${secret}`,
      `-${id}|${secret}`,
      `${id}.0|${secret}`,
      `${id} | ${secret}`,
      `99999|${secret}`,
      `9${'0'.repeat(20)}|${secret}`,
      `${id}|${'x'.repeat(10_000)}`,
      `${id}|' or 1=1 --`,
      `${id}|${secret}\u0000`,
    ]
    for (const credential of wrong) expect(await me(`Bearer ${credential}`), credential).toMatchObject(unauthenticated)
  })

  test('only the scheme Bearer is known, in upper or lower case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) expect((await me(`${scheme} ${other.key}`)).status).toBe(200)
    const basic = Buffer.from(`${other.key}:`).toString('base64')
    for (const header of [
      other.key,
      `Basic ${basic}`,
      `Token ${other.key}`,
      `Bearer${other.key}`,
      `Bearer: ${other.key}`,
    ])
      expect(await me(header), header).toMatchObject(unauthenticated)
    expect(await api.ask('GET', `/api/user/me?api_key=${other.key}`, { key: null })).toMatchObject(unauthenticated)
  })

  test('a new key works immediately, and a deleted one stops working immediately', async () => {
    const { key } = await api.account()
    const made = await api.ask('POST', '/api/user/api-keys', { key, body: { name: 'ci' } })
    expect(made).toMatchObject({
      status: 201,
      body: { message: 'API key created successfully.', api_key: { name: 'ci' } },
    })
    const { token } = made.body.api_key
    expect(token).toMatch(/^[1-9]\d*\|[A-Za-z0-9]{40}$/)
    expect((await me(`Bearer ${token}`)).status).toBe(200)
    const deleted = await api.ask('DELETE', `/api/user/api-keys/${token.split('|')[0]}`, { key })
    expect(deleted).toMatchObject({ status: 200, body: { message: 'API key deleted successfully.' } })
    expect(await me(`Bearer ${token}`)).toMatchObject(unauthenticated)
    expect((await me(`Bearer ${key}`)).status).toBe(200)
  })

  test('the list of keys shows the last use of each, and never its token', async () => {
    const { key } = await api.account()
    await api.ask('POST', '/api/user/api-keys', { key, body: { name: 'unused' } })
    await api.ask('GET', '/api/user/me', { key })
    await expect
      .poll(async () => (await api.ask('GET', '/api/user/api-keys', { key })).body.api_keys)
      .toEqual([
        {
          id: expect.any(Number),
          name: 'first',
          last_used_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
          created_at: expect.stringMatching(/\.\d{6}Z$/),
        },
        { id: expect.any(Number), name: 'unused', last_used_at: null, created_at: expect.any(String) },
      ])
    const { text } = await api.ask('GET', '/api/user/api-keys', { key })
    expect(text).not.toContain(key.split('|')[1])
    expect(text).not.toMatch(/hash|token/)
  })

  test('an account cannot read, change or delete resources of another', async () => {
    const tool = (await api.ask('GET', '/api/user/tools')).body[0]
    const number = (await api.ask('GET', '/api/user/phone-numbers/all')).body.data[0]
    const ownKey = (await api.ask('GET', '/api/user/api-keys')).body.api_keys[0]
    const before = [await api.ask('GET', '/api/user/tools'), await api.ask('GET', '/api/user/phone-numbers/all')].map(
      (it) => it.text,
    )
    const { key } = other
    const toolMissing = { status: 404, text: '{"message":"Tool not found"}' }
    const numberMissing = { status: 404, text: '{"error":"Phone number not found."}' }
    expect(await api.ask('GET', '/api/user/tools', { key })).toMatchObject({ status: 200, body: [] })
    expect(await api.ask('GET', '/api/user/phone-numbers/all', { key })).toMatchObject({
      status: 200,
      body: { data: [] },
    })
    expect(await api.ask('GET', `/api/user/tools/${tool.id}`, { key })).toMatchObject(toolMissing)
    expect(await api.ask('PUT', `/api/user/tools/${tool.id}`, { key, body: { timeout: 1 } })).toMatchObject(toolMissing)
    expect(await api.ask('DELETE', `/api/user/tools/${tool.id}`, { key })).toMatchObject(toolMissing)
    expect(
      await api.ask('PUT', `/api/user/phone-numbers/${number.id}`, { key, body: { nickname: 'Mine' } }),
    ).toMatchObject(numberMissing)
    expect(await api.ask('DELETE', `/api/user/phone-numbers/${number.id}`, { key })).toMatchObject(numberMissing)
    expect(await api.ask('DELETE', `/api/user/api-keys/${ownKey.id}`, { key })).toMatchObject({
      status: 404,
      text: '{"message":"API key not found."}',
    })
    expect(
      [await api.ask('GET', '/api/user/tools'), await api.ask('GET', '/api/user/phone-numbers/all')].map(
        (it) => it.text,
      ),
    ).toEqual(before)
    expect((await api.ask('GET', '/api/user/api-keys')).body.api_keys).toHaveLength(3)
  })
})

describe.each(databases)('the control routes on $name', (database) => {
  let api: Api
  beforeAll(async () => {
    api = await fresh(database)
  })
  const status = (headers: Record<string, string>, key: string | null = null) =>
    api.ask('GET', '/control/status', { key, headers })

  test('accept only the control token', async () => {
    const token = api.platform.credentials().control
    expect(await status({ 'parley-control': token })).toMatchObject({
      status: 200,
      body: { database: database.name, accounts: 1 },
    })
    for (const given of ['', 'x', token.slice(1), `${token} `, `${token}x`])
      expect(await status({ 'parley-control': given }), given).toMatchObject(unauthenticated)
    expect(await status({})).toMatchObject(unauthenticated)
    expect(await status({}, api.platform.credentials().key)).toMatchObject(unauthenticated)
    expect(await status({ authorization: `Bearer ${token}` })).toMatchObject(unauthenticated)
  })

  test('refuse requests of web pages, even with the right token', async () => {
    const headers = { 'parley-control': api.platform.credentials().control }
    for (const origin of ['http://127.0.0.1:4010', 'null', 'https://evil.example', '']) {
      const answer = await api.ask('POST', '/control/reset', { key: null, headers: { ...headers, origin }, body: {} })
      expect(answer, origin).toMatchObject({ status: 403, body: { message: 'This action is unauthorized.' } })
    }
  })

  test('the control token gives access to no account', async () => {
    const token = api.platform.credentials().control
    for (const headers of [
      { 'parley-control': token },
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer 0|${token}` },
    ])
      expect(await api.ask('GET', '/api/user/me', { key: null, headers })).toMatchObject(unauthenticated)
  })

  test('every response that is assumed and not specified is marked', async () => {
    expect((await api.ask('GET', '/api/user/me')).headers).toMatchObject({ 'parley-assumed': 'user.me' })
    expect((await api.ask('GET', '/api/user/api-keys')).headers).not.toHaveProperty('parley-assumed')
  })
})
