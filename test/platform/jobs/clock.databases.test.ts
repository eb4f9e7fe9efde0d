import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { day, hour, toIsoMillis } from '../../../src/contract/values/micros.ts'
import { addMonths, createClock, toIsoMicros, toPlainTime } from '../../../src/platform/jobs/clock.ts'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { afterFile } from '../../support/cleanup.ts'
import { databases } from '../../support/databases.ts'

const at = (iso: string): number => Date.parse(iso) * 1000

describe.each(databases)('the clock on $name', (database) => {
  async function clocks() {
    const target = await database.target()
    const time = { ms: Date.UTC(2027, 0, 31) }
    const open = async () => {
      const connection = await openStore(target)
      afterFile(() => connection.close())
      return createClock(connection, () => time.ms)
    }
    return { time, clock: await open(), other: await open() }
  }

  test('is the real time until it is changed', async () => {
    const { clock, time } = await clocks()
    expect(await clock.read()).toEqual({ now: time.ms * 1000, frozen: false, offset: 0 })
    time.ms += 5
    expect(await clock.now()).toBe(time.ms * 1000)
  })

  test('is frozen, also for other processes, and advances only on request', async () => {
    const { clock, other, time } = await clocks()
    const frozen = await clock.freeze()
    time.ms += 10_000
    expect(await other.read()).toEqual({ now: frozen.now, frozen: true, offset: -10_000_000 })
    await other.advance(hour)
    expect(await clock.now()).toBe(frozen.now + hour)
    expect((await clock.freeze(at('2030-02-03T04:05:06.789Z'))).now).toBe(at('2030-02-03T04:05:06.789Z'))
  })

  test('continues from a set time, and resumes real time on request', async () => {
    const { clock, other, time } = await clocks()
    await clock.advance(day)
    time.ms += 1000
    expect(await other.read()).toEqual({ now: time.ms * 1000 + day, frozen: false, offset: day })
    await other.advance(day)
    expect(await clock.now()).toBe(time.ms * 1000 + 2 * day)
    expect(await other.resume()).toEqual({ now: time.ms * 1000, frozen: false, offset: 0 })
  })

  test('loses none of many concurrent changes', async () => {
    const { clock, other } = await clocks()
    const { now } = await clock.freeze()
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? clock : other).advance(hour)))
    expect(await clock.now()).toBe(now + 20 * hour)
  })
})

describe('a month later', () => {
  test.each([
    ['2027-01-31T10:00:00Z', 31, ['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30']],
    ['2028-01-31T10:00:00Z', 31, ['2028-02-29', '2028-03-31']],
    ['2028-01-29T10:00:00Z', 29, ['2028-02-29', '2028-03-29']],
    ['2027-01-29T10:00:00Z', 29, ['2027-02-28', '2027-03-29']],
    ['2027-11-30T23:59:59Z', 30, ['2027-12-30', '2028-01-30', '2028-02-29', '2028-03-30']],
    ['2100-01-31T00:00:00Z', 31, ['2100-02-28', '2100-03-31']],
    ['2027-12-15T00:00:00Z', 15, ['2028-01-15']],
  ])('after %s, paid on day %i', (from, anchor, dates) => {
    let micros = at(from)
    const found = dates.map(() => {
      micros = addMonths(micros, 1, anchor)
      return toIsoMillis(micros)
    })
    expect(found).toEqual(dates.map((it) => `${it}T${from.slice(11, 19)}.000Z`))
  })

  test('is on the same day of the next month or its last day, at the same time to the microsecond', () => {
    const seed = Date.now()
    const moments = fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2199-12-31T00:00:00Z') })
    fc.assert(
      fc.property(
        moments,
        fc.integer({ min: 1, max: 31 }),
        fc.integer({ min: 0, max: 40 }),
        (micros, anchor, months) => {
          const [from, to] = [new Date(micros / 1000), new Date(addMonths(micros, months, anchor) / 1000)]
          const count = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth()
          const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()
          expect(count(to)).toBe(count(from) + months)
          expect(to.getUTCDate()).toBe(Math.min(anchor, lastDay))
          expect(addMonths(micros, months, anchor) % day).toBe(micros % day)
        },
      ),
      { seed },
    )
  })
})

test('times are formatted in the three formats of the API', () => {
  const micros = at('2027-03-04T05:06:07.089Z') + 12
  expect(toIsoMicros(micros)).toBe('2027-03-04T05:06:07.089012Z')
  expect(toIsoMillis(micros)).toBe('2027-03-04T05:06:07.089Z')
  expect(toPlainTime(micros)).toBe('2027-03-04 05:06:07')
})

test('a time with microseconds is parsed to the same moment as by Date', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000_000 }), (micros) => {
      const text = toIsoMicros(micros)
      expect(text.slice(0, 23)).toBe(new Date(Math.floor(micros / 1000)).toISOString().slice(0, 23))
      expect(text.slice(20)).toBe(`${String(micros % 1_000_000).padStart(6, '0')}Z`)
    }),
  )
})
