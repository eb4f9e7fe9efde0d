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
    for (const it of found) {
      expect(AvailableNumber.parse(it)).toEqual(it)
      expect(it.country_code).toBe(country)
      const parsed = parsePhoneNumberFromString(it.phone_number)
      expect(parsed?.isPossible(), it.phone_number).toBe(true)
      expect(it.phone_number_formatted.replaceAll(' ', '')).toBe(it.phone_number)
      expect(it.price).toBeGreaterThan(0)
      expect(it.payment_price_id).toMatch(/^price_/)
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
  ['--contains +1415', '--contains', 'The contains field must contain digits only, at most 10.'],
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
