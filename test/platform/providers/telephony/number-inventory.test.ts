import { parsePhoneNumberWithError } from 'libphonenumber-js/max'
import { describe, expect, test } from 'vitest'
import { type Country, countries } from '../../../../src/contract/values/countries.ts'
import { testNumbers } from '../../../../src/platform/providers/local/test-numbers.ts'
import { createInventory, createStock } from '../../../../src/platform/providers/telephony/number-inventory.ts'
import { shortestMs } from '../../../support/timing.ts'

const none: ReadonlySet<string> = new Set()
const listOf = (seed: string, country: Country) => [...createStock(seed, country)]

describe.each(countries)('the numbers of %s', (country) => {
  const seeds = ['one', 'two', 'three', '', 'a much longer seed, with spaces']

  test('are valid, of that country, and shown as an independent library shows them', () => {
    const wrong = seeds
      .flatMap((seed) => listOf(seed, country))
      .map((number) => ({ number, judged: parsePhoneNumberWithError(number.phoneNumber) }))
      .filter(
        ({ number, judged }) =>
          !judged.isValid() ||
          judged.country !== country ||
          judged.number !== number.phoneNumber ||
          judged.formatInternational() !== number.formatted,
      )
      .map(
        ({ number, judged }) =>
          `${number.formatted}: ${judged.country} ${judged.isValid()} ${judged.formatInternational()}`,
      )
    expect(wrong).toEqual([])
  })

  test('can be searched by any one or two digits', () => {
    const inventory = createInventory('one')
    const all = [...Array(10).keys()]
      .map(String)
      .concat([...Array(100).keys()].map((pair) => String(pair).padStart(2, '0')))
    expect(all.filter((contains) => inventory.search({ country, contains, limit: 1 }, none).length === 0)).toEqual([])
  })

  test('are several hundred without duplicates, the same for a seed, and different for another seed', () => {
    const first = listOf('one', country)
    expect(first.length).toBeGreaterThanOrEqual(300)
    expect(new Set(first.map((number) => number.phoneNumber)).size).toBe(first.length)
    expect(listOf('one', country)).toEqual(first)
    const other = new Set(listOf('two', country).map((number) => number.phoneNumber))
    expect(first.filter((number) => other.has(number.phoneNumber)).length).toBeLessThan(30)
  })

  test('mix numbers that can send messages with numbers that cannot', () => {
    expect(new Set(listOf('one', country).map((number) => number.smsCapable))).toEqual(new Set([true, false]))
  })
})

test('numbers of the United States and Canada have their state or province, and need no address', () => {
  const regions = (country: Country) => new Set(listOf('one', country).map((number) => number.region))
  expect(regions('US').size).toBe(51)
  expect(regions('CA')).toContain('QC')
  expect(createInventory('one').search({ country: 'US', contains: '1415', limit: 1 }, none)[0]).toMatchObject({
    region: 'CA',
    addressRequirements: 'none',
  })
})

test('every address requirement occurs somewhere, and most countries have more than one', () => {
  const byCountry = countries.map(
    (country) => new Set(listOf('one', country).map((number) => number.addressRequirements)),
  )
  expect(new Set(byCountry.flatMap((requirements) => [...requirements])).size).toBe(4)
  expect(byCountry.filter((requirements) => requirements.size > 1).length).toBeGreaterThan(5)
})

describe('a search', () => {
  const inventory = createInventory('one')

  test.each([
    ['US', '415'],
    ['US', '212'],
    ['CA', '416'],
    ['GB', '20'],
    ['GB', '4420'],
    ['IT', '06'],
  ] as const)('in %s for %s finds only numbers with those digits', (country, contains) => {
    const found = inventory.search({ country, contains, limit: 50 }, none)
    expect(found.length).toBeGreaterThanOrEqual(3)
    expect(found.every((number) => number.phoneNumber.includes(contains) && number.country === country)).toBe(true)
  })

  test('respects its limit, in the same order each time', () => {
    const ten = inventory.search({ country: 'NL', limit: 10 }, none)
    expect(ten).toHaveLength(10)
    expect(inventory.search({ country: 'NL', limit: 30 }, none).slice(0, 10)).toEqual(ten)
    expect(inventory.search({ country: 'NL', limit: 0 }, none)).toEqual([])
  })

  test('omits the excluded numbers and fills the page with others', () => {
    const [first, second] = inventory.search({ country: 'DK', limit: 2 }, none)
    const rest = inventory.search({ country: 'DK', limit: 2 }, new Set([first!.phoneNumber]))
    expect(rest[0]).toEqual(second)
    expect(rest).toHaveLength(2)
  })

  test('finds nothing for digits that no number has', () => {
    expect(inventory.search({ country: 'US', contains: '9999999999', limit: 5 }, none)).toEqual([])
  })

  test('never returns a test number', () => {
    for (const seed of ['one', 'two'])
      for (const country of countries)
        for (const magic of Object.keys(testNumbers)) expect(createStock(seed, country).find(magic)).toBeUndefined()
  })

  test('is fast once warm', async () => {
    for (const country of countries)
      expect(await shortestMs(() => createInventory('cold').search({ country, limit: 1 }, none), 3, 200)).toBeLessThan(
        3,
      )
    const search = () => inventory.search({ country: 'US', contains: '9999999999', limit: 30 }, none)
    expect(await shortestMs(search, 0.2, 1000)).toBeLessThan(0.2)
  })
})

test('a number in the inventory is found with its country; any other is not', () => {
  const inventory = createInventory('one')
  for (const country of countries) {
    const [number] = inventory.search({ country, limit: 1 }, none)
    expect(inventory.find(number!.phoneNumber)).toEqual(number)
  }
  expect(inventory.find('+14155550123')).toBe(null)
  expect(inventory.find('+4915112345678')).toBe(null)
  expect(inventory.find('nonsense')).toBe(null)
})
