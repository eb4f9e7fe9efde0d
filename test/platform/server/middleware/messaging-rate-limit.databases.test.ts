import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Answered, Api } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt } from '../../../support/platform/test-platforms.ts'

/** What the rate limit lets through is refused for its missing body: sending itself is not tested here. */
describe.each(databases)('the rate limit of messages on $name', (database) => {
  const begin = Date.UTC(2027, 4, 1, 12)

  /** Two processes on one data, time stopped until it is moved. */
  async function paced() {
    const place = await newPlace(database)
    const time = { ms: begin }
    const settings = { wall: () => time.ms }
    const api = await openAt(place, settings)
    const other = await openAt(place, settings)
    return { api, other, time, owner: await api.account() }
  }
  const send = (api: Api, key: string, path = 'send'): Promise<Answered> =>
    api.ask('POST', `/api/user/messaging/${path}`, { key, body: {} })
  const isIn = ({ status }: Answered): boolean => status !== 429

  test('is five per second, reported with each response, and then with the time to wait', async () => {
    const { api, owner } = await paced()
    for (const left of ['4', '3', '2', '1', '0'])
      expect(await send(api, owner.key)).toMatchObject({
        status: 422,
        headers: { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': left },
      })
    const refused = await send(api, owner.key)
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' },
    })
    expect(refused.text).toBe('{"message":"Too Many Attempts.","retry_after":1}')
    expect(refused.headers).not.toHaveProperty('parley-clock')
  })

  test('accepts at most five in any period of one second', async () => {
    const { api, time, owner } = await paced()
    const accepted: number[] = []
    // Every 37 ms, from before the turn of a second, so that windows that follow each other would let ten through around it.
    for (time.ms = begin + 900; time.ms < begin + 5900; time.ms += 37)
      if (isIn(await send(api, owner.key))) accepted.push(time.ms)
    for (const from of accepted)
      expect(accepted.filter((it) => it >= from && it < from + 1000).length).toBeLessThanOrEqual(5)
    // It is not slower than that: each place is free again a second after it was taken.
    expect(accepted.length).toBeGreaterThanOrEqual(23)
  })

  test('counts over all keys of an account, all processes and both endpoints, and each account alone', async () => {
    const { api, other, owner } = await paced()
    const second = (await api.ask('POST', '/api/user/api-keys', { key: owner.key, body: { name: 'second' } })).body
      .api_key.token
    const answers = [
      await send(api, owner.key),
      await send(other, second),
      await send(api, second, 'send-freeform'),
      await send(other, owner.key, 'send-freeform'),
      await send(api, owner.key),
    ]
    expect(answers.every(isIn)).toBe(true)
    for (const [server, key, path] of [
      [api, second, 'send'],
      [other, owner.key, 'send-freeform'],
    ] as const)
      expect(isIn(await send(server, key, path))).toBe(false)
    expect(isIn(await send(other, (await api.account()).key))).toBe(true)
  })

  test('accepts exactly five of many concurrent messages', async () => {
    const { api, other, owner } = await paced()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(n % 2 ? api : other, owner.key)))
    expect(answers.filter(isIn)).toHaveLength(5)
  })

  test('is not used up by refused messages', async () => {
    const { api, time, owner } = await paced()
    for (let n = 0; n < 5; n++) await send(api, owner.key)
    for (time.ms = begin + 100; time.ms < begin + 1000; time.ms += 100)
      expect(isIn(await send(api, owner.key))).toBe(false)
    time.ms = begin + 1000
    expect(isIn(await send(api, owner.key))).toBe(true)
  })

  test('applies to no other endpoint', async () => {
    const { api, owner } = await paced()
    for (let n = 0; n < 8; n++) {
      const answer = await api.ask('GET', '/api/user/messaging/senders', owner)
      expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, undefined])
    }
  })

  test('reports that waiting will not help because time is frozen', async () => {
    const { api, time, owner } = await paced()
    await api.control('POST', '/control/clock/freeze', {})
    for (let n = 0; n < 5; n++) await send(api, owner.key)
    time.ms += 600_000
    expect(await send(api, owner.key)).toMatchObject({
      status: 429,
      headers: { 'parley-clock': 'frozen', 'retry-after': '1' },
    })
    await api.control('POST', '/control/clock/advance', { by: '1s' })
    expect(isIn(await send(api, owner.key))).toBe(true)
  })

  test('restarts on a clock that was set back', async () => {
    const { api, time, owner } = await paced()
    for (let n = 0; n < 5; n++) await send(api, owner.key)
    time.ms = begin - 3_600_000
    expect(isIn(await send(api, owner.key))).toBe(true)
  })
})
