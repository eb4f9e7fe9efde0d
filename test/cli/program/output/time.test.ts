import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'
import { expect, test } from 'vitest'
import { exactTime, localTime, parseTime, relativeTime } from '../../../../src/cli/program/output/time.ts'

const noon = Date.parse('2026-08-04T12:00:00Z')

test('the three time formats of the platform mean the same moment', () => {
  for (const text of [
    '2026-08-04T12:00:00.000000Z',
    '2026-08-04T12:00:00.000Z',
    '2026-08-04 12:00:00',
    '2026-08-04T14:00:00+02:00',
  ])
    expect(parseTime(text)).toBe(noon)
})

test('milliseconds are part of a time', () => {
  for (const text of ['2026-08-04T12:00:00.257000Z', '2026-08-04T12:00:00.257Z', '2026-08-04T14:00:00.257+02:00'])
    expect(parseTime(text)).toBe(noon + 257)
})

test('a value that is not a time is not changed', () => {
  for (const text of ['2026-08-04', 'soon', '', '2026-13-40 99:00:00']) expect(parseTime(text)).toBeUndefined()
})

test('local times follow the zone, with daylight saving and half hours', () => {
  expect(localTime(noon, 'Europe/Warsaw')).toBe('2026-08-04 14:00')
  expect(exactTime(noon, 'Europe/Warsaw')).toBe('2026-08-04 14:00:00 +02:00')
  expect(exactTime(Date.parse('2026-01-04T12:00:05Z'), 'Europe/Warsaw')).toBe('2026-01-04 13:00:05 +01:00')
  expect(exactTime(noon, 'Asia/Kolkata')).toBe('2026-08-04 17:30:00 +05:30')
  expect(exactTime(Date.parse('2026-01-01T02:00:00Z'), 'America/St_Johns')).toBe('2025-12-31 22:30:00 -03:30')
})

test('without a zone the one of the machine is used, and times without a zone are UTC', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-time-'))
  try {
    const file = join(folder, 'time.cjs')
    await build({
      input: new URL('../../../../src/cli/program/output/time.ts', import.meta.url).pathname,
      logLevel: 'silent',
      output: { file, format: 'cjs' },
    })
    const shown = (zone: string): string =>
      execFileSync(
        process.execPath,
        ['-p', `const it = require(${JSON.stringify(file)}); it.exactTime(it.parseTime('2026-08-04 12:00:00'))`],
        {
          env: { TZ: zone },
          encoding: 'utf8',
        },
      ).trim()
    expect([shown('Asia/Tokyo'), shown('America/New_York')]).toEqual([
      '2026-08-04 21:00:00 +09:00',
      '2026-08-04 08:00:00 -04:00',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test.each([
  [5, 'just now'],
  [120, '2 min ago'],
  [3599, '59 min ago'],
  [7200, '2 h ago'],
  [86_400, undefined],
  [-30, 'in a moment'],
  [-600, 'in 10 min'],
])('%i seconds ago', (seconds, shown) => {
  expect(relativeTime(noon - seconds * 1000, noon)).toBe(shown)
})
