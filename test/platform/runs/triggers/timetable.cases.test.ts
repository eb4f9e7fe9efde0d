import { describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../../src/contract/automations/automation-node.ts'
import { nextTime, parseTimetable } from '../../../../src/platform/runs/triggers/timetable.ts'
import { caseCount } from '../../../support/case-count.ts'
import { every } from '../../../support/flow-definitions.ts'

/** The next times from a moment on, as texts. */
function times(cron: string, zone: string, from: string, count: number): (string | undefined)[] {
  let at: number | undefined = Date.parse(from) * 1000
  return Array.from({ length: count }, () => {
    at = at === undefined ? undefined : nextTime({ cron, zone }, at)
    return at === undefined ? undefined : new Date(at / 1000).toISOString().slice(0, 16)
  })
}

describe('times of a schedule', () => {
  test('a time that is skipped by daylight saving runs once that day, and other days are not affected', () => {
    expect(times('30 2 * * *', 'Europe/Paris', '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
    expect(times('0 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:00',
      '2026-03-09T06:00',
    ])
  })

  test('a time that occurs twice because of daylight saving runs once', () => {
    expect(times('30 2 * * *', 'Europe/Paris', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })

  test('a missing midnight, half-hour time zones and half-hour clock changes are handled', () => {
    // Clocks in Beirut went from midnight straight to one.
    expect(times('0 0 * * *', 'Asia/Beirut', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-28T22:00',
      '2026-03-29T21:00',
    ])
    expect(times('0 9 * * *', 'Asia/Kolkata', '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-29T03:30'])
    expect(times('0 9 * * *', 'Australia/Lord_Howe', '2026-04-03T12:00:00Z', 3)).toEqual([
      '2026-04-03T22:00',
      '2026-04-04T22:30',
      '2026-04-05T22:30',
    ])
  })

  test.each(['*/20 * * * *', '0 * * * *', '15 1-3 * * *'])('%s runs for a year without a duplicate', (cron) => {
    let at = Date.UTC(2026, 0, 1) * 1000
    for (let n = 0; n < caseCount(3000, 1100); n += 1) {
      const next = nextTime({ cron, zone: 'Europe/Paris' }, at) as number
      expect(next).toBeGreaterThan(at)
      at = next
    }
  })

  test('a date that never occurs has no next time, and an unknown time zone is an error', () => {
    expect(times('0 0 31 2 *', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual([undefined])
    expect(() => times('0 0 * * *', 'Europe/Atlantis', '2026-01-01T00:00:00Z', 1)).toThrow()
    expect(
      parseTimetable(every('every_day', { hour_of_the_day: 9, timezone: 'Europe/Atlantis' }) as AutomationNode),
    ).toBeUndefined()
  })
})
