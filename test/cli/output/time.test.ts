import { afterEach, expect, test, vi } from 'vitest'
import { exactTime, localTime, parseTime, relativeTime } from '../../../src/cli/output/time.ts'

const noon = Date.parse('2026-08-04T12:00:00Z')

afterEach(() => {
  vi.unstubAllEnvs()
})

test('the three ways the platform writes a time mean the same moment, wherever the machine stands', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo')
  for (const text of ['2026-08-04T12:00:00.000000Z', '2026-08-04T12:00:00.000Z', '2026-08-04 12:00:00', '2026-08-04T14:00:00+02:00'])
    expect(parseTime(text)).toBe(noon)
})

test('what is no time stays what it is', () => {
  for (const text of ['2026-08-04', 'soon', '', '2026-13-40 99:00:00']) expect(parseTime(text)).toBeUndefined()
})

test('local times follow the zone, its summer time and its halves', () => {
  expect(localTime(noon, 'Europe/Warsaw')).toBe('2026-08-04 14:00')
  expect(exactTime(noon, 'Europe/Warsaw')).toBe('2026-08-04 14:00:00 +02:00')
  expect(exactTime(Date.parse('2026-01-04T12:00:05Z'), 'Europe/Warsaw')).toBe('2026-01-04 13:00:05 +01:00')
  expect(exactTime(noon, 'Asia/Kolkata')).toBe('2026-08-04 17:30:00 +05:30')
  expect(exactTime(Date.parse('2026-01-01T02:00:00Z'), 'America/St_Johns')).toBe('2025-12-31 22:30:00 -03:30')
  vi.stubEnv('TZ', 'Asia/Tokyo')
  expect(localTime(noon)).toBe('2026-08-04 21:00')
  vi.stubEnv('TZ', 'America/New_York')
  expect(exactTime(noon)).toBe('2026-08-04 08:00:00 -04:00')
})

test.each([
  [5, 'just now'],
  [120, '2 min ago'],
  [3599, '59 min ago'],
  [7200, '2 h ago'],
  [86_400, undefined],
  [-30, 'in a moment'],
  [-600, 'in 10 min'],
])('%i seconds ago', (seconds, told) => {
  expect(relativeTime(noon - seconds * 1000, noon)).toBe(told)
})
