import { expect, test } from 'vitest'
import { parseZonedMillis } from '../../../src/engine/pieces/date-format.ts'

test.each([
  ['a summer day in Paris', '2027-07-01T09:00', 'Europe/Paris', '2027-07-01T07:00:00.000Z'],
  ['a winter day in Paris', '2027-01-05 09:00', 'Europe/Paris', '2027-01-05T08:00:00.000Z'],
  ['the other side of the date line', '2027-01-05T01:30', 'Pacific/Auckland', '2027-01-04T12:30:00.000Z'],
  ['an hour that clocks skip', '2027-03-14T02:30', 'America/New_York', '2027-03-14T07:30:00.000Z'],
  ['an hour that clocks show twice', '2027-11-07T01:30', 'America/New_York', '2027-11-07T05:30:00.000Z'],
  ['a zone of its own', '2027-07-01T09:00:00+02:00', 'America/New_York', '2027-07-01T07:00:00.000Z'],
  ['UTC of its own', '2027-07-01T09:00Z', 'America/New_York', '2027-07-01T09:00:00.000Z'],
  ['seconds since 1970', '1804000000', 'America/New_York', '2027-03-02T15:06:40.000Z'],
  ['a lone date', '2027-07-01', 'Europe/Paris', '2027-06-30T22:00:00.000Z'],
])('a time is converted to its time zone: %s', (_, text, zone, expected) => {
  expect(new Date(parseZonedMillis(text, zone)).toISOString()).toBe(expected)
})
