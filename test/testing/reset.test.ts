import { expect, onTestFinished, test } from 'vitest'
import { type StartOptions, startPlatform, type TestPlatform } from '../../src/platform.ts'

const started = async (options: StartOptions = {}): Promise<TestPlatform> => {
  const platform = await startPlatform({ seed: 7, ...options })
  onTestFinished(() => platform.close())
  return platform
}

const march = '2027-03-01T09:00:00.000000Z'
const isNow = (time: string): boolean => Math.abs(Date.parse(time) - Date.now()) < 3_600_000

/** The two ways of a reset: the method, and the control API, which tests in other languages use. */
const ways: readonly [name: string, reset: (platform: TestPlatform) => Promise<unknown>][] = [
  ['reset()', (platform) => platform.reset()],
  ['POST /control/reset', (platform) => platform.control('POST', 'reset', { seed: 7 })],
]

test.each(ways)('%s returns a clock that was frozen or advanced to real time', async (_, reset) => {
  const platform = await started()
  await platform.clock.freeze()
  await platform.clock.advance('31d')
  await reset(platform)
  expect(await platform.clock.now()).toMatchObject({ frozen: false, offset_seconds: 0 })
  await platform.clock.advance('31d')
  await reset(platform)
  const { now } = await platform.clock.now()
  expect(isNow(now)).toBe(true)
})

test.each(ways)('%s returns to the time, the fault rules and the data of the start', async (_, reset) => {
  const faults = [{ endpoint: 'tools.list', status: 503 }]
  const platform = await started({ clock: march, faults })
  const state = async (): Promise<unknown> => [
    { ...(await platform.clock.now()), offset_seconds: undefined },
    (await platform.faults.list()).map(({ endpoint, status, fired }) => [endpoint, status, fired]),
    await platform.client.keys.list({}),
    await platform.control('GET', 'accounts/1/webhook-secret'),
  ]
  const before = await state()
  await platform.fetch('/api/user/tools')
  await platform.client.keys.create({ name: 'late' })
  await platform.control('POST', 'accounts/1/webhook-secret', {})
  await platform.faults.clear()
  await platform.faults.add({ endpoint: 'keys.create', status: 500 })
  await platform.clock.resume()
  await reset(platform)
  expect(await state()).toEqual(before)
})

test('POST /control/reset freezes the clock at a given time', async () => {
  const platform = await started()
  await platform.control('POST', 'reset', { seed: 7, clock: march })
  expect(await platform.clock.now()).toMatchObject({ now: march, frozen: true })
  await expect(platform.control('POST', 'reset', { clock: 'soon' })).rejects.toMatchObject({
    status: 422,
    errors: { clock: ['The clock field must be a time such as 2026-01-31T09:00:00Z.'] },
  })
})

test.each(ways)('after %s, failed sign-ins of earlier tests do not count', async (_, reset) => {
  const platform = await started()
  const signIn = async (): Promise<number> =>
    (await fetch(`${platform.url}/api/user/me`, { headers: { authorization: 'Bearer wrong' } })).status
  let status = 0
  for (let n = 0; n < 30 && status !== 429; n++) status = await signIn()
  expect(status).toBe(429)
  await reset(platform)
  expect(await signIn()).toBe(401)
})
