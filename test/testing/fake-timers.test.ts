import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { startPlatform, type TestPlatform } from '../../src/platform.ts'

afterEach(() => void vi.useRealTimers())

const everything = { now: 0, toFake: undefined } as const

async function started(): Promise<TestPlatform> {
  const platform = await startPlatform({ seed: 7 })
  onTestFinished(() => platform.close())
  return platform
}

/** Fake timers stop every timer of the test: none of these requests would end if the platform used one. */
async function use(platform: TestPlatform): Promise<void> {
  await platform.reset()
  expect(Date.parse((await platform.clock.now()).now)).toBeGreaterThan(Date.UTC(2026, 0, 1))
  expect((await platform.clock.advance('31d')).done.map((it) => it.kind)).toContain('subscription')
  await platform.faults.add({ endpoint: 'tools.list', status: 503, times: 1 })
  expect(await platform.client.tools.list()).not.toEqual([])
  await platform.faults.add({ endpoint: 'tools.list', latency_ms: 5, times: 1 })
  expect(await platform.client.tools.list()).not.toEqual([])
  const names = Array.from({ length: 20 }, (_, n) => `key ${n}`)
  expect(await Promise.all(names.map((name) => platform.client.keys.create({ name })))).toHaveLength(20)
  await platform.clock.resume()
}

test('a platform that starts under fake timers works, with real time', async () => {
  vi.useFakeTimers(everything)
  await use(await started())
})

test('a platform that started before the fake timers works with them and after them', async () => {
  const platform = await started()
  vi.useFakeTimers(everything)
  await use(platform)
  vi.useRealTimers()
  await use(platform)
})
