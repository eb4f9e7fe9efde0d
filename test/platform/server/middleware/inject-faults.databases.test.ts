import { beforeAll, describe, expect, test } from 'vitest'
import type { PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import type { Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, newPlace, openAt } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

const add = async (api: Api, rule: object) => {
  const { status, body } = await api.control('POST', '/control/faults', rule)
  expect({ status, body }).toMatchObject({ status: 201 })
  return body.data
}
const faultsOf = async (api: Api) => (await api.control('GET', '/control/faults')).body.data

/** The answer as it left the platform, which need not be JSON. */
const answerTo = (
  api: Api,
  method: string,
  url: string,
  { key }: { key: string | null } = api.platform.credentials(),
  body?: object,
): Promise<PlainResponse> =>
  api.platform.handle({
    method,
    url,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

const statuses = async (api: Api, times: number, url = '/api/user/tools'): Promise<number[]> => {
  const found: number[] = []
  for (let n = 0; n < times; n++) found.push((await answerTo(api, 'GET', url)).status)
  return found
}

describe.each(databases)('a fault on $name', (database) => {
  let api: Api
  let other: TestAccount
  beforeAll(async () => {
    api = await fresh(database)
    other = await api.account()
  })
  const clear = () => api.control('DELETE', '/control/faults')

  test('returns an error of the platform, as often as it should, marked as a fault', async () => {
    const { id } = await add(api, { endpoint: 'tools.list', error: 'tools.not_found', times: 2 })
    const answer = await api.ask('GET', '/api/user/tools')
    expect(answer).toMatchObject({
      status: 404,
      text: '{"message":"Tool not found"}',
      headers: { 'parley-fault': String(id) },
    })
    expect(await statuses(api, 3)).toEqual([404, 200, 200])
    expect(await faultsOf(api)).toMatchObject([{ id, endpoint: 'tools.list', times: 2, met: 2, fired: 2 }])
    expect((await api.control('GET', '/control/status')).body).toMatchObject({ faults: 1, faults_fired: 2 })
    await clear()
  })

  test('affects one endpoint, a resource, or all, and never its own removal', async () => {
    const asked = async () => [
      ...(await statuses(api, 1)),
      ...(await statuses(api, 1, '/api/user/tools/1')),
      ...(await statuses(api, 1, '/api/user/api-keys')),
    ]
    for (const [endpoint, found] of [
      ['tools.get', [200, 503, 200]],
      ['tools.*', [503, 503, 200]],
      ['*', [503, 503, 503]],
    ] as const) {
      await add(api, { endpoint, status: 503 })
      expect(await asked(), endpoint).toEqual(found)
      expect((await clear()).body).toEqual({ message: 'Fault rules deleted: 1.' })
    }
    expect(await asked()).toEqual([200, 200, 200])
  })

  test('affects one account, and requests with these values in path, query or body', async () => {
    await add(api, { endpoint: 'tools.list', account: other.id, status: 500 })
    expect([
      (await answerTo(api, 'GET', '/api/user/tools')).status,
      (await answerTo(api, 'GET', '/api/user/tools', other)).status,
    ]).toEqual([200, 500])
    await add(api, { endpoint: 'tools.get', where: { id: 2 }, status: 500 })
    expect([
      ...(await statuses(api, 1, '/api/user/tools/1')),
      ...(await statuses(api, 1, '/api/user/tools/2')),
    ]).toEqual([200, 500])
    await add(api, { endpoint: 'numbers.search', where: { country_code: 'GB' }, status: 500 })
    const search = (country: string) => statuses(api, 1, `/api/user/phone-numbers/search?country_code=${country}`)
    expect([...(await search('US')), ...(await search('GB'))]).toEqual([200, 500])
    await add(api, { endpoint: 'tools.update', where: { 'headers.0.name': 'X-A', timeout: '5' }, status: 500 })
    const update = async (body: object) => (await answerTo(api, 'PUT', '/api/user/tools/1', undefined, body)).status
    expect([
      await update({ timeout: 5 }),
      await update({ timeout: 5, headers: [{ name: 'X-A', value: '1' }] }),
    ]).toEqual([200, 500])
    await clear()
  })

  test('affects some requests, and the same ones for the same seed', async () => {
    const drawn = async (seed: number) => {
      await add(api, { endpoint: 'tools.list', status: 503, probability: 0.3, seed })
      const found = await statuses(api, 40)
      await clear()
      return found
    }
    const first = await drawn(7)
    expect(await drawn(7)).toEqual(first)
    expect(await drawn(8)).not.toEqual(first)
    expect(first.filter((it) => it === 503).length).toBeGreaterThan(4)
    expect(first.filter((it) => it === 503).length).toBeLessThan(22)
  })

  test('delays a request, which then continues', async () => {
    await add(api, { endpoint: 'tools.list', latency_ms: 60 })
    const before = performance.now()
    expect(await statuses(api, 1)).toEqual([200])
    expect(performance.now() - before).toBeGreaterThanOrEqual(55)
    await clear()
  })

  test('cuts the connection before the request is processed, or after', async () => {
    const create = async (name: string, socket: string) => {
      await add(api, { endpoint: 'folders.create', socket })
      const { cut } = await answerTo(api, 'POST', '/api/user/folder', undefined, { name })
      await clear()
      const names = (await api.ask('GET', '/api/user/folders?per_page=100')).body.data.map(
        (it: { name: string }) => it.name,
      )
      return { cut, saved: names.includes(name) }
    }
    expect(await create('before', 'cut')).toEqual({ cut: 'answer', saved: false })
    expect(await create('after', 'drop')).toEqual({ cut: 'answer', saved: true })
    expect(await create('midway', 'truncate')).toEqual({ cut: 'body', saved: true })
  })

  test('returns HTML or invalid JSON; with a status the request is not processed', async () => {
    const ask = async (rule: object) => {
      await add(api, { endpoint: 'tools.list', ...rule })
      const { status, headers, body } = await answerTo(api, 'GET', '/api/user/tools')
      await clear()
      return { status, type: headers['content-type'], body }
    }
    expect(await ask({ socket: 'html' })).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
      body: expect.stringMatching(/^<!doctype html>/),
    })
    expect(await ask({ socket: 'html', status: 502 })).toMatchObject({
      status: 502,
      body: expect.stringContaining('<title>502'),
    })
    const garbage = await ask({ socket: 'garbage' })
    expect(garbage).toMatchObject({ status: 200, type: 'application/json' })
    expect(() => JSON.parse(garbage.body)).toThrow()
  })

  test('changes the shape of responses, also of errors', async () => {
    await add(api, { endpoint: 'tools.get', drift: ['rename name title', 'text timeout', 'wrap . data', 'status 203'] })
    const { status, body } = await api.ask('GET', '/api/user/tools/1')
    expect(status).toBe(203)
    expect(body.data).toMatchObject({ title: expect.any(String), timeout: expect.stringMatching(/^\d+$/) })
    expect(body.data).not.toHaveProperty('name')
    await clear()
    await add(api, { endpoint: 'tools.get', drift: ['rename message error'] })
    expect(await api.ask('GET', '/api/user/tools/99')).toMatchObject({
      status: 404,
      text: '{"error":"Tool not found"}',
    })
    await clear()
  })

  test('works with a frozen clock, and affects requests without a key', async () => {
    await api.control('POST', '/control/clock/freeze', {})
    await add(api, { endpoint: 'conversations.*', status: 503 })
    expect(
      await api.ask('GET', '/api/conversations/11111111-1111-4111-8111-111111111111', { key: null }),
    ).toMatchObject({ status: 503 })
    await api.control('POST', '/control/clock/resume', {})
    expect(
      await api.ask('GET', '/api/conversations/11111111-1111-4111-8111-111111111111', { key: null }),
    ).toMatchObject({ status: 503 })
    await clear()
  })

  test('also affects endpoints after authentication', async () => {
    await add(api, { endpoint: 'automate.create', error: 'automate.no_steps' })
    const asked = { body: {} }
    expect(await api.ask('POST', '/api/user/automate/flows', asked)).toMatchObject({
      status: 422,
      body: { error: 'no_steps' },
    })
    expect(await api.ask('POST', '/api/user/automate/flows', { ...asked, key: null })).toMatchObject({ status: 401 })
    await clear()
  })

  test('is removed when the platform is reset', async () => {
    const forgotten = await fresh(database)
    for (const turn of ['freeze', 'resume']) {
      await forgotten.control('POST', `/control/clock/${turn}`, {})
      await add(forgotten, { endpoint: '*', status: 503 })
      expect(await statuses(forgotten, 1), turn).toEqual([503])
      expect((await forgotten.control('POST', '/control/reset', {})).status).toBe(200)
      expect(await faultsOf(forgotten)).toEqual([])
      expect(await statuses(forgotten, 1), turn).toEqual([200])
    }
  })

  test('is refused if it has no effect, two effects, or an unknown name', async () => {
    const refused = async (rule: object) => {
      const { status, body } = await api.control('POST', '/control/faults', { endpoint: 'tools.list', ...rule })
      return `${status} ${Object.keys(body.errors ?? {}).join()}`
    }
    expect(await refused({})).toBe('422 error')
    expect(await refused({ error: 'throttled', status: 503 })).toBe('422 error')
    expect(await refused({ socket: 'drop', drift: ['null name'] })).toBe('422 error')
    expect(await refused({ socket: 'drop', status: 503 })).toBe('422 status')
    expect(await refused({ error: 'tools.nope' })).toBe('422 error')
    expect(await refused({ status: 503, text: 'Hello' })).toBe('422 text')
    expect(await refused({ error: 'throttled', code: '63018' })).toBe('422 code')
    expect(await refused({ endpoint: 'tools.nope', status: 503 })).toBe('422 endpoint')
    expect(await refused({ endpoint: 'clock.show', status: 503 })).toBe('422 endpoint')
    expect(await refused({ endpoint: 'clock.*', status: 503 })).toBe('422 endpoint')
    expect(await refused({ drift: ['remove'] })).toBe('422 drift.0')
    expect(await refused({ drift: ['paint name'] })).toBe('422 drift.0')
    expect(await refused({ status: 200 })).toBe('422 status')
    expect(await refused({ account: 99, status: 503 })).toBe('404 ')
    expect((await api.control('DELETE', '/control/faults/99')).body).toEqual({ message: 'Fault rule not found' })
    expect(await faultsOf(api)).toEqual([])
  })

  test('applies to every process on the data, which share its limit, and to no other data', async () => {
    const place = await newPlace(database)
    const [mine, elsewhere] = [await openAt(place), await fresh(database)]
    const start: () => Worker = await workersIn(temporaryFolder())
    const workers = [start(), start()]
    for (const process of workers) afterFile(() => process.kill())
    await Promise.all(workers.map((it) => it.tell({ do: 'open', settings: place })))
    const { key } = mine.platform.credentials()
    const ask = async (worker: Worker): Promise<number> =>
      (
        (await worker.tell({
          do: 'handle',
          request: { method: 'GET', url: '/api/user/tools', headers: { authorization: `Bearer ${key}` } },
        })) as PlainResponse
      ).status
    expect(await Promise.all(workers.map(ask))).toEqual([200, 200])
    await add(mine, { endpoint: 'tools.list', status: 503, times: 5 })
    const found = (await Promise.all(Array.from({ length: 12 }, (_, n) => ask(workers[n % 2]!)))).filter(
      (it) => it === 503,
    )
    expect(found).toHaveLength(5)
    expect(await faultsOf(mine)).toMatchObject([{ fired: 5 }])
    expect(await statuses(elsewhere, 2)).toEqual([200, 200])
  })
})
