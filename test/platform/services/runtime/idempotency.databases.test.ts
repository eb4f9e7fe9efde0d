import { hostname } from 'node:os'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { audit } from '../../../support/platform/audit-purchases.ts'
import type { Answered, Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})
const tool = { name: 'look_up', description: 'Returns a value.', endpoint: 'https://example.com/x', method: 'GET' }
const busy = { status: 409, text: '{"message":"A request with this Idempotency-Key is still in progress."}' }
const interrupted = {
  status: 409,
  text: '{"message":"The server ended while it processed the request with this Idempotency-Key. The request may have been processed in part."}',
}
const conflict = { status: 409, text: '{"message":"This Idempotency-Key was used with another request."}' }

describe.each(databases)('an Idempotency-Key on $name', (database) => {
  let api: Api & { place: { dataDir: string; database?: string } }
  let buyer: TestAccount
  beforeAll(async () => {
    api = await fresh(database)
    buyer = await api.account()
  })
  const create = (key: string, body: unknown = tool, asked: object = buyer): Promise<Answered> =>
    api.ask('POST', '/api/user/tools', { ...asked, body, headers: { 'idempotency-key': key } })
  const tools = async () => (await api.ask('GET', '/api/user/tools', buyer)).body
  const clear = async () => {
    for (const tool of await tools()) await api.ask('DELETE', `/api/user/tools/${tool.id}`, buyer)
  }

  test('creates a resource once: the same request again gets the same response, which is marked', async () => {
    const first = await create('a')
    const again = await create('a')
    expect(first.status).toBe(201)
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(again).toMatchObject({
      status: 201,
      text: first.text,
      headers: { 'idempotent-replayed': 'true', 'parley-assumed': 'tools.create' },
    })
    expect(await tools()).toHaveLength(1)
  })

  test('that was only claimed by a process that ended is not started by a query of its outcome', async () => {
    const request = {
      body: { phone_number: '+15005550006' },
      headers: { 'idempotency-key': 'claimed', 'parley-recall': '1' },
      ...buyer,
    }
    const tables = await tablesOf(api.place)
    await tables.write('rows', (query) =>
      query
        .insertInto('idempotency')
        .values({
          account_id: buyer.id,
          key: 'claimed',
          request: '',
          status: null,
          body: null,
          created_at: Date.now() * 1000,
        })
        .execute(),
    )
    expect(await api.ask('POST', '/api/user/phone-numbers/purchase', request)).toMatchObject({ status: 404 })
    expect((await api.ask('GET', '/api/user/phone-numbers/all', buyer)).body.data).toEqual([])
  })

  test('returns a new secret again to a repeated request', async () => {
    const issue = () =>
      api.ask('POST', '/api/user/api-keys', { ...buyer, body: { name: 'ci' }, headers: { 'idempotency-key': 'issue' } })
    expect((await issue()).text).toBe((await issue()).text)
  })

  test('belongs to one request: another body, or another path, is refused', async () => {
    await create('b')
    expect(await create('b', { ...tool, name: 'other' })).toMatchObject(conflict)
    expect(
      await api.ask('POST', '/api/user/api-keys', {
        ...buyer,
        body: { name: 'x' },
        headers: { 'idempotency-key': 'b' },
      }),
    ).toMatchObject(conflict)
  })

  test('applies to updates and deletions: a repeated one changes nothing, also after the resource is gone', async () => {
    const { id } = (await create('to change')).body.data
    const path = `/api/user/tools/${id}`
    const update = (key: string, description: string) =>
      api.ask('PUT', path, { ...buyer, body: { description }, headers: { 'idempotency-key': key } })
    const first = await update('first', 'One.')
    expect(first.status).toBe(200)
    expect((await update('second', 'Two.')).status).toBe(200)
    expect(await update('first', 'One.')).toMatchObject({
      status: 200,
      text: first.text,
      headers: { 'idempotent-replayed': 'true' },
    })
    expect((await api.ask('GET', path, buyer)).body.description).toBe('Two.')
    expect(await update('first', 'Three.')).toMatchObject(conflict)
    const remove = (key: string) => api.ask('DELETE', path, { ...buyer, headers: { 'idempotency-key': key } })
    const deleted = await remove('deletion')
    expect(deleted.status).toBe(200)
    expect(await remove('deletion')).toMatchObject({
      status: 200,
      text: deleted.text,
      headers: { 'idempotent-replayed': 'true' },
    })
    expect((await remove('another')).status).toBe(404)
  })

  test('belongs to one account', async () => {
    const other = await api.account()
    const first = await create('c')
    const theirs = await create('c', tool, other)
    expect(theirs.status).toBe(201)
    expect(theirs.body.data.id).not.toBe(first.body.data.id)
  })

  test('can be used again after an error response, so that the error can be fixed', async () => {
    expect((await create('d', { ...tool, timeout: 31 })).status).toBe(422)
    expect((await create('d')).status).toBe(201)
  })

  test('is stored for a day', async () => {
    await api.control('POST', '/control/clock/freeze', {})
    const first = await create('e')
    await api.control('POST', '/control/clock/advance', { by: '24h' })
    expect((await create('e')).text).toBe(first.text)
    await api.control('POST', '/control/clock/advance', { by: '1s' })
    const later = await create('e', { ...tool, name: 'another' })
    expect(later).toMatchObject({ status: 201, body: { data: { name: 'another' } } })
    await api.control('POST', '/control/clock/resume')
  })

  test('of twenty concurrent requests runs one', async () => {
    await clear()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('f')))
    const made = answers.filter((it) => it.status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map((it) => it.text)).size).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toMatchObject(busy)
    expect(await tools()).toHaveLength(1)
    expect((await create('f')).text).toBe(made[0]?.text)
  })

  test('is only for writes, and not longer than 255 characters', async () => {
    const get = await api.ask('GET', '/api/user/me', { ...buyer, headers: { 'idempotency-key': 'a' } })
    expect(get.status).toBe(200)
    expect(await create('x'.repeat(256))).toMatchObject({ status: 422 })
    expect((await create('x'.repeat(255))).status).toBe(201)
    expect(await create('a\u0000b')).toMatchObject({
      status: 422,
      body: { message: 'The Idempotency-Key must not contain control characters.' },
    })
  })

  test.each([
    ['between its work and its answer', 1],
    ['after its answer', 2],
  ])('of a process that was killed %s has its answer, and never creates a second resource', async (_when, kill) => {
    const owner = await api.account()
    await api.ask('GET', '/api/user/me', owner)
    const worker = start()
    afterFile(() => worker.kill())
    await worker.tell({ do: 'open', settings: api.place, kill })
    const headers = {
      authorization: `Bearer ${owner.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'killed',
    }
    const request = { method: 'POST', url: '/api/user/tools', headers, body: JSON.stringify(tool) }
    expect(await worker.tell({ do: 'handle', request })).toBeUndefined()
    await worker.kill()
    const own = async () => (await api.ask('GET', '/api/user/tools', owner)).body
    expect(await own()).toHaveLength(1)
    const again = await create('killed', tool, owner)
    expect(again.status).toBe(201)
    expect(again.body.data).toEqual((await own())[0])
    expect((await create('killed', tool, owner)).text).toBe(again.text)
    expect(await own()).toHaveLength(1)
  })

  test('whose result was not saved is interrupted when its process or its lease has ended, and in progress before', async () => {
    const owner = await api.account()
    await create('far', tool, owner)
    const tables = await tablesOf(api.place)
    const set = (leased_until: number, owner = 'elsewhere:1:abc') =>
      tables.write('rows', (query) =>
        query
          .updateTable('idempotency')
          .set({ status: null, body: null, owner, leased_until })
          .where('key', '=', 'far')
          .execute(),
      )
    await set(Date.now() + 60_000)
    expect(await create('far', tool, owner)).toMatchObject(busy)
    await set(Date.now() - 60_000)
    expect(await create('far', tool, owner)).toMatchObject(interrupted)
    expect(await create('far', { ...tool, name: 'other' }, owner)).toMatchObject(conflict)
    await set(Date.now() + 60_000, `${hostname()}:${2 ** 22 + 1}:abc`)
    expect(await create('far', tool, owner)).toMatchObject(interrupted)
    await set(Date.now() + 60_000, `${hostname()}:${process.pid}:abc`)
    expect(await create('far', tool, owner)).toMatchObject(busy)
  })

  test('of a process that was killed while it stopped a campaign has its answer, also for a query of its outcome', async () => {
    const path = '/api/user/campaigns/update-status'
    const list = (await api.ask('GET', '/api/user/campaigns')).body
    const ids: number[] = list.map((it: { id: number }) => it.id)
    let id = 0
    for (const campaign of ids) {
      const started = await api.ask('POST', path, { body: { campaign_id: campaign, action: 'start' } })
      if (started.status === 200) id = campaign
    }
    const body = { campaign_id: id, action: 'stop' }
    const worker = start()
    afterFile(() => worker.kill())
    await worker.tell({ do: 'open', settings: api.place, kill: 1 })
    const headers = {
      authorization: `Bearer ${api.platform.credentials().key}`,
      'content-type': 'application/json',
      'idempotency-key': 'stopping',
    }
    expect(
      await worker.tell({ do: 'handle', request: { method: 'POST', url: path, headers, body: JSON.stringify(body) } }),
    ).toBeUndefined()
    await worker.kill()
    expect(await api.ask('POST', path, { body })).toMatchObject({ status: 400 })
    const asked = { body, headers: { 'idempotency-key': 'stopping' } }
    const recalled = await api.ask('POST', path, { ...asked, headers: { ...asked.headers, 'parley-recall': '1' } })
    expect(recalled).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
    expect(recalled.body.data.campaign_id).toBe(id)
    expect((await api.ask('POST', path, asked)).text).toBe(recalled.text)
  })

  describe('of a purchase', () => {
    const numbers = async (key: string) => (await api.ask('GET', '/api/user/phone-numbers/all', { key })).body.data
    const forSale = async () => (await api.ask('GET', '/api/user/phone-numbers/search')).body.data[0].phone_number
    const buy = (number: string, account: TestAccount, key: string) =>
      api.buy(number, { ...account, headers: { 'idempotency-key': key } })

    test('buys and pays once, and returns the same response', async () => {
      const account = await api.account()
      const number = await forSale()
      const first = await buy(number, account, 'p')
      expect(first.status).toBe(201)
      expect(await buy(number, account, 'p')).toMatchObject({
        text: first.text,
        headers: { 'idempotent-replayed': 'true' },
      })
      expect(await buy(await forSale(), account, 'p')).toMatchObject(conflict)
      expect(await numbers(account.key)).toHaveLength(1)
    })

    test('repeats an error response unchanged', async () => {
      const account = await api.account({ payment_method: 'pm_card_declined' })
      const number = await forSale()
      const first = await buy(number, account, 'r')
      expect(first.status).toBe(402)
      await api.control('PUT', `/control/accounts/${account.id}`, { payment_method: 'pm_card_visa' })
      expect((await buy(number, account, 'r')).text).toBe(first.text)
      expect((await buy(number, account, 'r2')).status).toBe(201)
    })

    test('makes twenty concurrent requests one purchase', async () => {
      const account = await api.account()
      const number = await forSale()
      const answers = await Promise.all(Array.from({ length: 20 }, () => buy(number, account, 'q')))
      expect(new Set(answers.map((it) => `${it.status} ${it.text}`)).size).toBe(1)
      expect(answers[0]?.status).toBe(201)
      expect(await numbers(account.key)).toHaveLength(1)
    })

    test('can be used for another number after a day', async () => {
      const account = await api.account()
      await api.control('POST', '/control/clock/freeze', {})
      const first = await forSale()
      await buy(first, account, 'old')
      await api.control('POST', '/control/clock/advance', { by: '25h' })
      const second = await forSale()
      expect(await buy(second, account, 'old')).toMatchObject({ status: 201, body: { data: { phone_number: second } } })
      expect((await numbers(account.key)).map((it: { phone_number: string }) => it.phone_number)).toEqual([
        first,
        second,
      ])
      await api.control('POST', '/control/clock/resume')
    })

    test('leaves a consistent ledger', async () => {
      const { read } = await tablesOf(api.place)
      expect(await audit(read)).toEqual([])
    })
  })

  test('works across processes', async () => {
    const other = await openAt(api.place)
    const first = await create('across')
    const again = await other.ask('POST', '/api/user/tools', {
      ...buyer,
      body: tool,
      headers: { 'idempotency-key': 'across' },
    })
    expect(again).toMatchObject({ status: 201, text: first.text })
  })
})
