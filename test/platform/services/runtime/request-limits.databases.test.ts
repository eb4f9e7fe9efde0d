import { describe, expect, test, vi } from 'vitest'
import { promptRefusals, refusalDelayMs } from '../../../../src/platform/services/runtime/request-limits.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import { countInFixedWindow, tryEnterSlidingWindow } from '../../../../src/platform/store/runtime/request-limits.ts'
import { databases, sqlite } from '../../../support/databases.ts'
import { controlTime, releaseTime } from '../../../support/fake-timers.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

const limit = { name: 'all', max: 3, seconds: 60 }

describe.each(databases)('a limit of requests on $name', (database) => {
  /** Two processes on one data, time stopped at the beginning of a minute until it is moved. */
  async function limited() {
    const place = await newPlace(database)
    const time = { ms: Date.UTC(2027, 0, 31, 12) }
    const settings = { limit, wall: () => time.ms }
    const api = await openAt(place, settings)
    const other = await openAt(place, settings)
    return { api, other, time, buyer: await api.account() }
  }
  const me = (api: Api, key: string) => api.ask('GET', '/api/user/me', { key })
  const left = async (api: Api, key: string) => (await me(api, key)).headers['x-ratelimit-remaining']

  test('reports the remaining requests with each response, and then the time to wait', async () => {
    const { api, time, buyer } = await limited()
    time.ms += 17_500
    for (const remaining of ['2', '1', '0'])
      expect(await me(api, buyer.key)).toMatchObject({
        status: 200,
        headers: { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': remaining },
      })
    const refused = await me(api, buyer.key)
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0', 'retry-after': '43' },
      text: '{"message":"Too Many Attempts.","retry_after":43}',
    })
    expect(refused.headers).not.toHaveProperty('parley-clock')
    time.ms += 42_499
    expect((await me(api, buyer.key)).status).toBe(429)
    time.ms += 1
    expect(await me(api, buyer.key)).toMatchObject({ status: 200, headers: { 'x-ratelimit-remaining': '2' } })
  })

  test('counts over all keys of an account and all processes, and each account alone', async () => {
    const { api, other, buyer } = await limited()
    const second = (await api.ask('POST', '/api/user/api-keys', { key: buyer.key, body: { name: 'second' } })).body
      .api_key.token
    expect(await left(other, second)).toBe('1')
    expect(await left(api, buyer.key)).toBe('0')
    for (const [server, key] of [
      [api, second],
      [other, buyer.key],
    ] as const)
      expect((await me(server, key)).status).toBe(429)
    const neighbour = await api.account()
    expect(await left(other, neighbour.key)).toBe('2')
  })

  test('accepts exactly that many of concurrent requests', async () => {
    const { api, other, buyer } = await limited()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => me(n % 2 ? api : other, buyer.key)))
    expect(answers.filter((it) => it.status === 200)).toHaveLength(3)
    expect(answers.filter((it) => it.status === 429)).toHaveLength(17)
  })

  test('sends many refusals of one account later, and answers another account in the meantime', async () => {
    const { api, buyer } = await limited()
    const neighbour = await api.account()
    const refused = () => me(api, buyer.key)
    for (let n = 0; n < limit.max; n++) await refused()
    const prompt = await Promise.all(Array.from({ length: promptRefusals }, refused))
    expect(new Set(prompt.map((it) => it.status))).toEqual(new Set([429]))
    controlTime({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const later: number[] = []
      const pending = [1, 2, 3].map(() => refused().then((it) => later.push(it.status)))
      expect((await me(api, neighbour.key)).status).toBe(200)
      while (vi.getTimerCount() < 3 && later.length === 0) await new Promise(setImmediate)
      expect(later).toEqual([])
      vi.advanceTimersByTime(refusalDelayMs)
      await Promise.all(pending)
      expect(later).toEqual([429, 429, 429])
    } finally {
      releaseTime()
    }
  })

  test('is exact over several servers that count requests in advance, and needs few statements', async () => {
    const place = await newPlace(database)
    const settings = { limit: { name: 'all', max: 300, seconds: 60 }, wall: () => Date.UTC(2027, 0, 31, 12) }
    const [api, other] = [await openAt(place, settings), await openAt(place, settings)]
    const buyer = await api.account()
    const first = await me(api, buyer.key)
    expect(first.headers['x-ratelimit-remaining']).toBe('299')
    const tables = await tablesOf(place)
    const counted = async (): Promise<number> =>
      (
        await tables.read
          .selectFrom('request_limit')
          .select('used')
          .where('account_id', '=', buyer.id)
          .executeTakeFirst()
      )?.used ?? 0
    expect(await counted()).toBe(15)
    let accepted = 1
    for (let n = 0; n < 8; n++) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => me(at % 3 ? api : other, buyer.key)))
      accepted += answers.filter((it) => it.status === 200).length
    }
    expect(accepted).toBe(300)
    expect((await me(api, buyer.key)).status).toBe(429)
  })

  test('counts calls of webhooks for the account of the automation', async () => {
    const { api, buyer } = await limited()
    const step = {
      type: 'CODE',
      settings: { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} },
    }
    const trigger = {
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
    }
    const created = await api.ask('POST', '/api/user/automate/flows', {
      key: buyer.key,
      body: { name: 'Flow', flow: { trigger, steps: [step] } },
    })
    const call = () =>
      api.platform.handle({
        method: 'POST',
        url: `/automate/api/v1/webhooks/${created.body.automation_id}`,
        headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
        body: '{}',
      })
    expect([(await call()).status, (await call()).status]).toEqual([200, 200])
    expect(await call()).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    expect((await me(api, buyer.key)).status).toBe(429)
  })

  test('that is reached stops a request before it has any effect', async () => {
    const { api, buyer } = await limited()
    for (let n = 0; n < 3; n++) await me(api, buyer.key)
    expect((await api.buy('+15005550006', buyer)).status).toBe(429)
    expect((await api.control('GET', `/control/accounts/${buyer.id}/ledger`)).body.data).toEqual([])
  })

  test('counts refused requests, and none without a key', async () => {
    const { api, buyer } = await limited()
    for (let n = 0; n < 5; n++)
      expect((await api.ask('GET', '/api/user/me', { key: `${buyer.key}x` })).status).toBe(401)
    expect(await api.ask('GET', '/api/user/tools/999', { key: buyer.key })).toMatchObject({
      status: 404,
      headers: { 'x-ratelimit-remaining': '2' },
    })
    expect(await api.ask('POST', '/api/user/tools', { key: buyer.key, body: {} })).toMatchObject({
      status: 422,
      headers: { 'x-ratelimit-remaining': '1' },
    })
  })

  test('does not apply to the control routes', async () => {
    const { api } = await limited()
    for (let n = 0; n < 10; n++) expect((await api.control('GET', '/control/clock')).status).toBe(200)
  })

  test('reports that waiting will not help because time is frozen', async () => {
    const { api, time, buyer } = await limited()
    await api.control('POST', '/control/clock/freeze', {})
    for (let n = 0; n < 3; n++) await me(api, buyer.key)
    time.ms += 600_000
    expect(await me(api, buyer.key)).toMatchObject({
      status: 429,
      headers: { 'parley-clock': 'frozen', 'retry-after': '60' },
    })
    await api.control('POST', '/control/clock/advance', { by: '60s' })
    expect(await me(api, buyer.key)).toMatchObject({ status: 200 })
  })

  test('holds for servers whose clocks differ slightly', async () => {
    const place = await newPlace(database)
    const { id } = await (await openAt(place)).account()
    const connection = await tablesOf(place)
    const minute = 60_000_000
    const now = 1_000 * minute
    const enter = (at: number) =>
      connection.write('everything', (query) =>
        tryEnterSlidingWindow(accountQuery(query, id), 'replies', { now: at, window: minute, max: 2 }),
      )
    expect(await enter(now)).toMatchObject({ isAllowed: true })
    expect(await enter(now - 5000)).toMatchObject({ isAllowed: true })
    expect(await enter(now - 4000)).toMatchObject({ isAllowed: false })
    expect(await enter(now + minute / 2)).toMatchObject({ isAllowed: false })
    const count = (at: number) =>
      connection.write('everything', (query) =>
        countInFixedWindow(accountQuery(query, id), 'all', { now: at, window: minute }),
      )
    expect([(await count(now)).used, (await count(now - 5000)).used, (await count(now + 5000)).used]).toEqual([1, 2, 3])
    expect((await count(now - minute / 2)).used).toBe(1)
  })
})

test('without a limit no response mentions one', async () => {
  const api = await openAt(await newPlace(sqlite))
  const { headers } = await api.ask('GET', '/api/user/me')
  expect(Object.keys(headers).filter((it) => it.startsWith('x-ratelimit'))).toEqual([])
})
