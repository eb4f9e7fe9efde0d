import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Api, Place } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

describe.each(databases)('accounts on $name', (database) => {
  let api: Api & { readonly place: Place }
  beforeAll(async () => {
    api = await fresh(database)
  })
  const create = (body: object) => api.control('POST', '/control/accounts', body)
  const update = (id: number, body: object) => api.control('PUT', `/control/accounts/${id}`, body)
  const ledger = async (id: number) => (await api.control('GET', `/control/accounts/${id}/ledger`)).body.data

  test('are created with a working key, shown once', async () => {
    const { status, body } = await create({ name: 'Second practice' })
    expect(status).toBe(201)
    expect(body).toEqual({
      message: 'Account created successfully.',
      data: {
        id: expect.any(Number),
        name: 'Second practice',
        email: 'owner@account.example',
        kind: 'tenant',
        balance: 0,
        minute_rate: null,
        payment_method: null,
        numbers: 0,
        max_campaigns: null,
        created_at: expect.stringMatching(/\.\d{6}Z$/),
      },
      token: expect.stringMatching(/^\d+\|[A-Za-z0-9]{40}$/),
    })
    expect((await api.ask('GET', '/api/user/me', { key: body.token })).body).toEqual({
      name: 'Second practice',
      email: 'owner@account.example',
      total_balance: 0,
    })
    expect((await api.control('GET', '/control/accounts')).text).not.toContain(body.token.split('|')[1])
  })

  test('get senders of the messaging channel once they have an assistant', async () => {
    const { data, token } = (await create({ name: 'Writes', balance: 5 })).body
    const give = () => api.control('POST', `/control/accounts/${data.id}/senders`, {})
    expect(await give()).toMatchObject({
      status: 422,
      body: { message: 'The account has no assistant to answer for its senders.' },
    })
    expect(await api.control('POST', '/control/accounts/999999/senders', {})).toMatchObject({
      status: 404,
      body: { message: 'Account not found' },
    })
    const assistant = {
      name: 'Desk',
      voice_id: 1,
      language_id: 1,
      type: 'outbound',
      mode: 'pipeline',
      timezone: 'UTC',
      initial_message: 'Hello.',
      system_prompt: 'Help.',
      llm_model_id: 1,
    }
    expect((await api.ask('POST', '/api/user/assistant', { key: token, body: assistant })).status).toBe(201)
    expect((await give()).status).toBe(200)
    const senders = (await api.ask('GET', '/api/user/messaging/senders', { key: token })).body.data
    expect(senders.length).toBeGreaterThan(1)
    expect(
      (await api.ask('GET', `/api/user/messaging/senders/${senders[0].id}/templates`, { key: token })).body.data.length,
    ).toBeGreaterThan(1)
  })

  test('pay in USD or in minutes, each at a rate', async () => {
    const tenant = (await create({ name: 'T', kind: 'tenant', balance: 12.345678 })).body
    const direct = (
      await create({ name: 'D', kind: 'direct', balance: 100, minute_rate: 0.07, email: 'd@direct.example' })
    ).body
    expect(tenant.data).toMatchObject({ kind: 'tenant', balance: 12.345678, minute_rate: null })
    expect(direct.data).toMatchObject({ kind: 'direct', balance: 100, minute_rate: 0.07, email: 'd@direct.example' })
    expect((await api.ask('GET', '/api/user/me', { key: direct.token })).body.total_balance).toBe(100)
    expect(await ledger(direct.data.id)).toEqual([
      {
        id: expect.any(Number),
        kind: 'top_up',
        usage_kind: null,
        unit: 'minute',
        amount: 100,
        balance_after: 100,
        reason: 'Opening balance',
        reference: 'opening',
        created_at: expect.any(String),
      },
    ])
  })

  test('are topped up and changed; other fields stay', async () => {
    const { id } = (await create({ name: 'A', balance: 1, payment_method: 'pm_card_visa' })).body.data
    for (let n = 0; n < 3; n++) await update(id, { top_up: 0.1 })
    expect((await update(id, { payment_method: null })).body.data).toMatchObject({
      name: 'A',
      balance: 1.3,
      payment_method: null,
    })
    expect((await update(id, { name: 'B', email: 'b@b.example' })).body).toMatchObject({
      message: 'Account updated successfully.',
      data: { name: 'B', email: 'b@b.example', balance: 1.3 },
    })
    expect((await update(id, {})).body.data.balance).toBe(1.3)
    expect(
      (await ledger(id)).map((it: { amount: number; balance_after: number }) => [it.amount, it.balance_after]),
    ).toEqual([
      [1, 1],
      [0.1, 1.1],
      [0.1, 1.2],
      [0.1, 1.3],
    ])
  })

  test('whose balance is set have a correction in the ledger, which is neither usage nor a top-up', async () => {
    const { data, token } = (await create({ name: 'A', balance: 10 })).body
    const month = async () => (await api.ask('GET', '/api/user/billing/summary', { key: token })).body.data.month
    const before = await month()
    await update(data.id, { balance: 2 })
    await update(data.id, { balance: 7.5 })
    expect(
      (await ledger(data.id)).slice(1).map((it: { kind: string; amount: number }) => [it.kind, it.amount]),
    ).toEqual([
      ['correction', -8],
      ['correction', 5.5],
    ])
    expect(await month()).toEqual(before)
    expect((await api.ask('GET', '/api/user/billing/usage', { key: token })).body.data).toEqual([])
    const { forecast } = (await api.ask('GET', '/api/user/billing/summary', { key: token })).body.data
    expect(forecast).toMatchObject({ average_per_day: 0, days_left: null })
  })

  test('lose none of many concurrent top-ups', async () => {
    const { id } = (await create({ name: 'A' })).body.data
    await Promise.all(Array.from({ length: 25 }, () => update(id, { top_up: 2 })))
    const { data } = (await api.control('GET', '/control/accounts')).body
    expect(data.find((it: { id: number }) => it.id === id).balance).toBe(50)
    expect((await ledger(id)).at(-1).balance_after).toBe(50)
  })

  test.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'x', email: 'nobody' }, 'email'],
    [{ name: 'x', kind: 'other' }, 'kind'],
    [{ name: 'x', balance: -1 }, 'balance'],
    [{ name: 'x', balance: '5' }, 'balance'],
    [{ name: 'x', minute_rate: 0 }, 'minute_rate'],
    [{ name: 'x', payment_method: 'card' }, 'payment_method'],
    [{ name: 'x', credits: 5 }, 'credits'],
  ])('are not created from %j', async (body, field) => {
    const answer = await create(body)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([field])
  })

  test('that do not exist are not found', async () => {
    const missing = { status: 404, text: '{"message":"Account not found"}' }
    expect(await update(9999, { name: 'x' })).toMatchObject(missing)
    expect(await update(9999, { top_up: 5 })).toMatchObject(missing)
    for (const id of ['9999', '0', 'x', '-1'])
      expect(await api.control('GET', `/control/accounts/${id}/ledger`)).toMatchObject(missing)
  })

  test('get more keys, each shown once; only a key that replaces a deleted key of the folder becomes the new one', async () => {
    const { data } = (await create({ name: 'Keys' })).body
    const more = (body: object, id: number = data.id) => api.control('POST', `/control/accounts/${id}/keys`, body)
    const { status, body } = await more({ name: 'laptop' })
    expect(status).toBe(201)
    expect(body).toEqual({
      message: 'API key created successfully.',
      token: expect.stringMatching(/^\d+\|[A-Za-z0-9]{40}$/),
    })
    expect((await api.ask('GET', '/api/user/me', { key: body.token })).body.name).toBe('Keys')
    expect((await api.ask('GET', '/api/user/api-keys', { key: body.token })).body.api_keys.at(-1).name).toBe('laptop')
    expect(Object.keys((await more({ name: '' })).body.errors)).toEqual(['name'])
    expect(await more({}, 9999)).toMatchObject({ status: 404, text: '{"message":"Account not found"}' })
  })

  test('are deleted with all their resources, and no other account loses anything; their numbers are for sale again', async () => {
    const rows = async (account: number): Promise<Record<string, number>> => {
      const { read } = await tablesOf(api.place)
      const counts: Record<string, number> = {}
      for (const { name, columns } of await read.introspection.getTables()) {
        if (!columns.some((it) => it.name === 'account_id')) continue
        const { rows } = await sql<{
          n: number
        }>`select count(*) as n from ${sql.table(name)} where account_id = ${account}`.execute(read)
        if (Number(rows[0]?.n) > 0) counts[name] = Number(rows[0]?.n)
      }
      return counts
    }
    const { id, key } = await api.account({ balance: 5 })
    const make = (path: string, body: object) =>
      api.ask('POST', path, { body, key, headers: { 'idempotency-key': path } })
    expect(
      (await make('/api/user/tools', { name: 'x', description: 'An x.', endpoint: 'https://x.example', method: 'GET' }))
        .status,
    ).toBe(201)
    expect((await make('/api/user/folder', { name: 'x' })).status).toBe(201)
    expect((await make('/api/user/knowledgebases', { name: 'x' })).status).toBe(201)
    expect((await api.buy('+15005550006', { key })).status).toBe(201)
    expect(Object.keys(await rows(id)).length).toBeGreaterThan(6)
    const others = await rows(1)
    expect(await api.control('DELETE', `/control/accounts/${id}`)).toMatchObject({
      status: 200,
      body: { message: 'Account deleted successfully.' },
    })
    expect(await rows(id)).toEqual({})
    expect(await rows(1)).toEqual(others)
    expect(await api.ask('GET', '/api/user/me', { key })).toMatchObject({ status: 401 })
    expect((await api.control('GET', '/control/accounts')).body.data.map((it: { id: number }) => it.id)).not.toContain(
      id,
    )
    expect((await api.buy('+15005550006')).status).toBe(201)
    expect(await api.control('DELETE', `/control/accounts/${id}`)).toMatchObject({
      status: 404,
      body: { message: 'Account not found' },
    })
  })
})
