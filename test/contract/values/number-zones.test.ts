import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { expect, test } from 'vitest'
import { loadZonesOfNumbers } from '../../../src/contract/values/number-zones.ts'

const zonesOf = await loadZonesOfNumbers()

test.each([
  ['a fixed line of Berlin', '+493012345678', ['Europe/Berlin']],
  ['a number of New York', '+12125550123', ['America/New_York']],
  ['a number of Los Angeles', '+12135550123', ['America/Los_Angeles']],
  ['a number of Honolulu', '+18085550123', ['Pacific/Honolulu']],
  ['a fixed line of Tenerife', '+34922123456', ['Atlantic/Canary']],
  ['a fixed line of Madrid', '+34912345678', ['Europe/Madrid']],
  [
    'a mobile number of Spain, which may be on the Canary Islands',
    '+34612345678',
    ['Atlantic/Canary', 'Europe/Madrid'],
  ],
  ['a toll-free number of Spain', '+34900123456', ['Atlantic/Canary', 'Europe/Madrid']],
  ['a mobile number of São Paulo, whose area code tells the place', '+5511961234567', ['America/Sao_Paulo']],
  ['a mobile number of Manaus', '+5592961234567', ['America/Manaus']],
  ['a fixed line of Almaty', '+77272501234', ['Asia/Almaty']],
  ['an international toll-free number', '+80012345678', []],
  ['a satellite phone', '+870773123456', []],
  ['a calling code that nobody has', '+9991234567', []],
])('%s may be in the zones that its numbering plan tells', (_, phone, zones) => {
  expect(zonesOf(phone)).toEqual(zones)
})

test('a toll-free number of North America may be anywhere from Guam to St. John’s', () => {
  const zones = zonesOf('+18005550123')
  expect(zones).toEqual(expect.arrayContaining(['Pacific/Guam', 'Pacific/Honolulu', 'America/St_Johns']))
})

test('a number that its numbering plan does not have may be in every zone of its calling code', () => {
  expect(zonesOf('+34012345678')).toEqual(['Atlantic/Canary', 'Europe/Madrid'])
})

test('every country has zones, and Node knows each of them', () => {
  for (const country of getCountries()) {
    const zones = zonesOf(`+${getCountryCallingCode(country)}`)
    const ofMobile = zonesOf(getExampleNumber(country, examples)?.number ?? '')
    expect([country, zones.length > 0, ofMobile.length > 0]).toEqual([country, true, true])
    for (const timeZone of zones) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow()
  }
})
