import { mock } from 'node:test'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { findRealTime, type RealTime } from '../../src/node/real-time.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  mock.timers.reset()
})

/** Uses every timer and clock. Ends only if none of them is a fake one. */
async function use(time: RealTime): Promise<void> {
  const order: string[] = []
  const [never, notNow] = [
    time.setTimeout(() => order.push('cleared'), 1),
    time.setImmediate(() => order.push('cleared')),
  ]
  time.clearTimeout(never)
  time.clearImmediate(notNow)
  time.setTimeout(() => {}, 60_000).unref()
  const before = [time.now(), time.monotonicMs()] as const
  await new Promise<void>((done) => time.nextTick((it: string) => done(void order.push(it)), 'tick'))
  await new Promise<void>((done) => time.queueMicrotask(() => done(void order.push('microtask'))))
  await new Promise<void>((done) => time.setImmediate((it: string) => done(void order.push(it)), 'immediate'))
  await new Promise<void>((done) => time.setTimeout((it: string) => done(void order.push(it)), 5, 'timeout'))
  await new Promise<void>((done) => {
    let left = 2
    const timer = time.setInterval(() => {
      order.push('interval')
      if (--left > 0) return
      time.clearInterval(timer)
      done()
    }, 5)
  })
  expect(order).toEqual(['tick', 'microtask', 'immediate', 'timeout', 'interval', 'interval'])
  expect(time.now() - before[0]).toBeGreaterThan(0)
  expect(time.monotonicMs() - before[1]).toBeGreaterThan(10)
  expect(time.now()).toBeGreaterThan(Date.UTC(2026, 0, 1))
}

const everyTimer = ['setTimeout', 'setInterval', 'setImmediate', 'Date'] as const
const fakes: readonly [name: string, install: () => unknown][] = [
  ['those of vitest', () => vi.useFakeTimers({ now: 0 })],
  [
    'every timer of vitest',
    () => vi.useFakeTimers({ now: 0, toFake: [...everyTimer, 'queueMicrotask', 'performance', 'hrtime'] }),
  ],
  ['a date of vitest', () => vi.setSystemTime(0)],
  ['those of node:test', () => mock.timers.enable({ apis: [...everyTimer], now: 0 })],
  ['a spy of Date.now', () => vi.spyOn(Date, 'now').mockReturnValue(0)],
]

describe('with fake timers', () => {
  test.each(fakes)(
    'that are installed after the program was loaded (%s), the real ones are found',
    async (_, install) => {
      const time = findRealTime()
      install()
      await use(time)
    },
  )

  test.each(fakes)('that are there before the program is loaded (%s), the real ones are found', async (_, install) => {
    install()
    await use(findRealTime())
  })

  test('loading the program adds nothing to the fake clock of the test', () => {
    vi.useFakeTimers()
    findRealTime()
    expect(vi.getTimerCount()).toBe(0)
  })
})
