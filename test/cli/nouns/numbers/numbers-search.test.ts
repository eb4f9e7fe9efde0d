import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { describe, expect, test } from 'vitest'
import { AvailableNumber } from '../../../../src/contract/resources/numbers.ts'
import { countries } from '../../../../src/contract/values/countries.ts'
import { operator } from '../../../support/operator.ts'

describe.each(countries)('numbers in %s', (country) => {
  test('are valid numbers of that country, each with its price and requirements', async () => {
    const { json } = operator()
    const found: AvailableNumber[] = await json(`numbers search --country ${country}`)
    expect(found.length).toBeGreaterThan(9)
    for (const number of found) {
      expect(AvailableNumber.parse(number)).toEqual(number)
      expect(number.country_code).toBe(country)
      const parsed = parsePhoneNumberFromString(number.phone_number)
      expect(parsed?.isPossible(), number.phone_number).toBe(true)
      expect(number.phone_number_formatted.replaceAll(' ', '')).toBe(number.phone_number)
      expect(number.price).toBeGreaterThan(0)
      expect(number.payment_price_id).toMatch(/^price_/)
    }
    expect(new Set(found.map((it) => it.phone_number)).size).toBe(found.length)
  })

  test('are found by up to ten digits', async () => {
    const { json } = operator()
    const [, wanted] = await json(`numbers search --country ${country}`)
    const digits = wanted.phone_number.slice(-10).replace('+', '')
    for (const contains of [digits, digits.slice(-3)]) {
      const found: AvailableNumber[] = await json(`numbers search --country ${country} --contains ${contains}`)
      expect(found.map((it) => it.phone_number)).toContain(wanted.phone_number)
      expect(found.filter((it) => !it.phone_number.includes(contains))).toEqual([])
    }
  })
})

test('without a country are those of the US, and country codes may be lower-case', async () => {
  const { run } = operator()
  const us = await run('numbers search -o id')
  expect((await run('numbers search --country US -o id')).stdout).toBe(us.stdout)
  expect((await run('numbers search --country us -o id')).stdout).toBe(us.stdout)
  expect((await run('numbers search --country gb -o id')).stdout).toMatch(/^\+44/)
})

test('are the same for every search and every user', async () => {
  const [a, b] = [operator(), operator()]
  expect((await a.run('numbers search --country FI --json')).stdout).toBe(
    (await b.run('numbers search --country FI --json')).stdout,
  )
})

test.each([
  ['--country FR', '--country', 'The selected country code is invalid.'],
  ['--country Spain', '--country', 'The selected country code is invalid.'],
  ['--contains 12345678901', '--contains', 'The contains field must contain digits only, at most 10.'],
  ['--contains 41a', '--contains', 'The contains field must contain digits only, at most 10.'],
  ['--contains 41x5', '--contains', 'The contains field must contain digits only, at most 10.'],
])('%s is refused with the message of the platform', async (flags, flag, text) => {
  const { run } = operator()
  const { exitCode, stdout, stderr } = await run(`numbers search ${flags}`)
  expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' })
  expect(stderr).toContain(`  ${flag}: ${text}\n`)
})

test('the table shows the monthly price, whether a number can send messages, and whether it needs an address', async () => {
  const { run } = operator()
  const { stdout } = await run('numbers search --country GB --limit 1 --no-color', { terminal: true })
  expect(stdout).toMatch(/Number .*Per month .*SMS .*Address/)
  expect(stdout).toMatch(/\+44\d{10} .*1\.30 USD .*(yes|no) +(none|local)/)
})

test.each([
  ['UK', 'GB (United Kingdom)'],
  ['England', 'GB (United Kingdom)'],
  ['italy', 'IT (Italy)'],
  ['usa', 'US (United States)'],
])('a country written as %s leads to its code', async (given, meant) => {
  const { exitCode, stderr, requests } = await operator().run(`numbers search --country ${given}`)
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
  expect(stderr).toContain(`Unknown country "${given}". Did you mean ${meant}?`)
})

test('a country that the contract does not list is sent, because a deployment may sell numbers there', async () => {
  const { exitCode, requests } = await operator().run('numbers search --country fr')
  expect({ exitCode, requests }).toEqual({ exitCode: 6, requests: [expect.stringContaining('country_code=FR')] })
})

test('digits are found as people write them', async () => {
  const { json, run } = operator()
  const [wanted] = await json('numbers search --country GB')
  const digits: string = wanted.phone_number.slice(3, 9)
  const [one, two] = [digits.slice(0, 2), digits.slice(2)]
  const exact = await json(`numbers search --country GB --contains ${digits}`)
  for (const contains of [`${one} ${two}`, `${one}-${two}`, `(${one}) ${two}`, `+44 ${one} ${two}`]) {
    const { exitCode, stdout } = await run(['numbers', 'search', '--country', 'GB', '--contains', contains, '--json'])
    expect(exitCode, contains).toBe(0)
    expect(JSON.parse(stdout), contains).toEqual(exact)
  }
  expect(exact[0]).toEqual(wanted)
})
