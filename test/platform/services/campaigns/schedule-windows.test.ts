import { describe, expect, test } from 'vitest'
import { isOpenAt, nextOpening } from '../../../../src/contract/values/contact-hours.ts'
import { parseZonedTime } from '../../../../src/platform/services/campaigns/campaign-fields.ts'

const micros = (iso: string): number => Date.parse(iso) * 1000
const iso = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at / 1000).toISOString()

describe('the hours of a campaign when the clocks are set forward', () => {
  test.each([
    ['America/New_York', '2027-03-14T04:00:00Z', '02:30', '10:00', '2027-03-14T07:00:00.000Z'],
    ['America/New_York', '2027-03-14T04:00:00Z', '02:30', '03:10', '2027-03-14T07:00:00.000Z'],
    ['America/New_York', '2027-03-14T04:00:00Z', '03:30', '10:00', '2027-03-14T07:30:00.000Z'],
    ['America/Santiago', '2027-09-04T20:00:00Z', '00:00', '10:00', '2027-09-05T04:00:00.000Z'],
    ['America/Havana', '2027-03-14T00:00:00Z', '00:00', '09:00', '2027-03-14T05:00:00.000Z'],
    ['Europe/Berlin', '2027-03-27T20:00:00Z', '02:30', '10:00', '2027-03-28T01:00:00.000Z'],
    ['Australia/Lord_Howe', '2027-10-02T10:00:00Z', '02:10', '10:00', '2027-10-02T15:30:00.000Z'],
  ])(
    'start in %s after %s for the window %s-%s at the first time inside it',
    (timezone, from, start, end, expected) => {
      const hours = [{ hours: { schedule_windows: [{ start, end }] }, zones: [timezone] }]
      const at = nextOpening(hours, micros(from))
      expect(iso(at)).toBe(expected)
      expect(isOpenAt(hours, at as number)).toBe(true)
      expect(isOpenAt(hours, (at as number) - 1_000_000)).toBe(false)
    },
  )

  test('that are skipped completely start on the next day', () => {
    const hours = { schedule_windows: [{ start: '02:10', end: '02:50' }] }
    const at = nextOpening([{ hours, zones: ['America/New_York'] }], micros('2027-03-14T04:00:00Z'))
    expect(iso(at)).toBe('2027-03-15T06:10:00.000Z')
  })

  test.each([
    ['America/New_York', '2027-03-14T02:30', '2027-03-14T07:30:00.000Z'],
    ['Europe/Berlin', '2027-03-28T02:30', '2027-03-28T01:30:00.000Z'],
    ['America/New_York', '2027-11-07T01:30', '2027-11-07T05:30:00.000Z'],
    ['America/New_York', '2027-07-01T09:00', '2027-07-01T13:00:00.000Z'],
    ['America/New_York', '2027-07-01T09:00:00+02:00', '2027-07-01T07:00:00.000Z'],
  ])('the start time in %s at %s is never in the hour before', (zone, text, expected) => {
    expect(iso(parseZonedTime(text, zone))).toBe(expected)
  })
})
