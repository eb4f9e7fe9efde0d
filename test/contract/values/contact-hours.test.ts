import { describe, expect, test } from 'vitest'
import {
  type ContactHours,
  findClosed,
  isOpenAt,
  nextOpening,
  type ZonedHours,
} from '../../../src/contract/values/contact-hours.ts'

const micros = (iso: string): number => Date.parse(iso) * 1000
const iso = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at / 1000).toISOString()

const inZones = (hours: ContactHours, zones: readonly string[]): ZonedHours[] => [{ hours, zones }]

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
const office: ContactHours = {
  allowed_hours_start_time: '09:00',
  allowed_hours_end_time: '17:59',
  allowed_days: weekdays,
}

describe('hours in several time zones', () => {
  const [newYork, losAngeles] = ['America/New_York', 'America/Los_Angeles']

  test('are open only while they are open in every one', () => {
    expect(isOpenAt(inZones(office, [newYork]), micros('2027-01-04T15:00:00Z'))).toBe(true)
    expect(isOpenAt(inZones(office, [newYork, losAngeles]), micros('2027-01-04T15:00:00Z'))).toBe(false)
    expect(isOpenAt(inZones(office, [newYork, losAngeles]), micros('2027-01-04T17:00:00Z'))).toBe(true)
    expect(isOpenAt(inZones(office, [newYork, losAngeles]), micros('2027-01-04T23:00:00Z'))).toBe(false)
  })

  test('open when they open in the last one', () => {
    const at = nextOpening(inZones(office, [newYork, losAngeles]), micros('2027-01-04T15:00:00Z'))
    expect(iso(at)).toBe('2027-01-04T17:00:00.000Z')
  })

  test('are open at once when they are open in all', () => {
    const now = micros('2027-01-04T18:30:00Z')
    expect(nextOpening(inZones(office, [newYork, losAngeles]), now)).toBe(now)
  })

  test('open after the weekend of both: Friday evening in one is Saturday in the other', () => {
    const at = nextOpening(inZones(office, ['Asia/Tokyo', 'Europe/Berlin']), micros('2027-01-08T10:00:00Z'))
    expect(iso(at)).toBe('2027-01-11T08:00:00.000Z')
  })

  test('have no opening when no hour is common', () => {
    const zones = ['Asia/Tokyo', 'America/New_York']
    expect(nextOpening(inZones(office, zones), micros('2027-01-04T15:00:00Z'))).toBeUndefined()
  })

  test('of a campaign and of its account open when both are open', () => {
    const early: ContactHours = { allowed_hours_start_time: '06:00', allowed_hours_end_time: '10:00' }
    const both = [
      { hours: early, zones: ['UTC'] },
      { hours: office, zones: ['Europe/Berlin'] },
    ]
    expect(iso(nextOpening(both, micros('2027-01-04T06:00:00Z')))).toBe('2027-01-04T08:00:00.000Z')
    expect(iso(nextOpening(both, micros('2027-01-08T11:00:00Z')))).toBe('2027-01-11T08:00:00.000Z')
  })

  test('have no opening on days that never come', () => {
    const at = micros('2027-01-04T15:00:00Z')
    expect(nextOpening(inZones({ ...office, allowed_days: [] }, ['UTC']), at)).toBeUndefined()
  })
})

describe('the end of a window', () => {
  const isOpen = (start: string, end: string, time: string, day = '2027-01-04'): boolean =>
    isOpenAt(inZones({ schedule_windows: [{ start, end }] }, ['UTC']), micros(`${day}T${time}Z`))

  test('closes it, to the second', () => {
    expect(isOpen('09:00', '18:00', '17:59:59')).toBe(true)
    expect(isOpen('09:00', '18:00', '18:00:00')).toBe(false)
    expect(isOpen('09:00', '18:00', '18:00:30')).toBe(false)
    expect(isOpen('22:00', '02:00', '01:59:59')).toBe(true)
    expect(isOpen('22:00', '02:00', '02:00:00')).toBe(false)
    const daily = { allowed_hours_start_time: '09:00', allowed_hours_end_time: '18:00' }
    expect(isOpenAt(inZones(daily, ['UTC']), micros('2027-01-04T18:00:30Z'))).toBe(false)
  })

  test('is midnight for 23:59, so that the whole day is open', () => {
    expect(isOpen('00:00', '23:59', '23:59:59')).toBe(true)
    expect(isOpen('00:00', '23:59', '00:00:00')).toBe(true)
    expect(isOpenAt(inZones({}, ['UTC']), micros('2027-01-04T23:59:59Z'))).toBe(true)
  })

  test('leaves one minute to a window of a campaign that starts when it ends', () => {
    expect(isOpen('09:00', '09:00', '09:00:59')).toBe(true)
    expect(isOpen('09:00', '09:00', '09:01:00')).toBe(false)
  })

  test('joins a window that starts then', () => {
    const hours = {
      schedule_windows: [
        { start: '09:00', end: '12:00' },
        { start: '12:00', end: '18:00' },
      ],
    }
    const now = micros('2027-01-04T12:00:00Z')
    expect(nextOpening(inZones(hours, ['UTC']), now)).toBe(now)
  })
})

describe('holidays', () => {
  const hours: ContactHours = { ...office, holidays: ['2027-01-05', '2027-01-06'] }

  test('are closed from midnight to midnight in the zone of the recipient', () => {
    expect(isOpenAt(inZones(hours, ['Europe/Berlin']), micros('2027-01-05T10:00:00Z'))).toBe(false)
    expect(isOpenAt(inZones(hours, ['Asia/Tokyo']), micros('2027-01-05T02:00:00Z'))).toBe(false)
    // In Honolulu it is still January 4.
    expect(isOpenAt(inZones(hours, ['Pacific/Honolulu']), micros('2027-01-05T02:00:00Z'))).toBe(true)
  })

  test('move the opening to the next day that is none', () => {
    expect(iso(nextOpening(inZones(hours, ['Europe/Berlin']), micros('2027-01-04T20:00:00Z')))).toBe(
      '2027-01-07T08:00:00.000Z',
    )
  })

  test('may be days of every year', () => {
    const yearly: ContactHours = { holidays: ['12-25', '02-29'] }
    for (const year of [2026, 2027])
      expect(isOpenAt(inZones(yearly, ['UTC']), micros(`${year}-12-25T10:00:00Z`))).toBe(false)
    expect(isOpenAt(inZones(yearly, ['UTC']), micros('2028-02-29T10:00:00Z'))).toBe(false)
    expect(iso(nextOpening(inZones(yearly, ['UTC']), micros('2026-12-25T10:00:00Z')))).toBe('2026-12-26T00:00:00.000Z')
  })

  test('are named as what closes the hours, as a day and the time of day are', () => {
    const closed = (at: string) => findClosed(inZones(hours, ['UTC', 'Europe/Berlin']), micros(at))
    expect(closed('2027-01-05T10:00:00Z')).toEqual({ reason: 'holiday', zone: 'UTC' })
    expect(closed('2027-01-09T10:00:00Z')).toEqual({ reason: 'day', zone: 'UTC' })
    expect(closed('2027-01-07T17:30:00Z')).toEqual({ reason: 'hours', zone: 'Europe/Berlin' })
    expect(closed('2027-01-07T10:00:00Z')).toBeUndefined()
  })

  test('end a window that goes past midnight', () => {
    const night: ContactHours = { schedule_windows: [{ start: '22:00', end: '02:00' }], holidays: ['2027-01-05'] }
    expect(isOpenAt(inZones(night, ['UTC']), micros('2027-01-04T23:59:00Z'))).toBe(true)
    expect(isOpenAt(inZones(night, ['UTC']), micros('2027-01-05T00:00:00Z'))).toBe(false)
    expect(isOpenAt(inZones(night, ['UTC']), micros('2027-01-05T23:00:00Z'))).toBe(false)
    expect(iso(nextOpening(inZones(night, ['UTC']), micros('2027-01-05T00:00:00Z')))).toBe('2027-01-06T22:00:00.000Z')
  })
})

describe('a change of the clocks', () => {
  test('moves the opening of one zone only', () => {
    const zones = ['America/New_York', 'Europe/London']
    const hours: ContactHours = { allowed_hours_start_time: '09:00', allowed_hours_end_time: '17:00' }
    // New York sets its clocks forward on March 14, London on March 28.
    expect(iso(nextOpening(inZones(hours, zones), micros('2027-03-13T03:00:00Z')))).toBe('2027-03-13T14:00:00.000Z')
    expect(iso(nextOpening(inZones(hours, zones), micros('2027-03-15T03:00:00Z')))).toBe('2027-03-15T13:00:00.000Z')
    expect(iso(nextOpening(inZones(hours, zones), micros('2027-03-29T03:00:00Z')))).toBe('2027-03-29T13:00:00.000Z')
  })

  test('opens hours twice that are in the repeated hour', () => {
    const hours: ContactHours = { schedule_windows: [{ start: '01:00', end: '01:59' }] }
    for (const at of ['2027-11-07T05:30:00Z', '2027-11-07T06:30:00Z'])
      expect(isOpenAt(inZones(hours, ['America/New_York']), micros(at))).toBe(true)
  })
})
