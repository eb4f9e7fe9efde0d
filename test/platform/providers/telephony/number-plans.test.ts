import { parsePhoneNumberWithError } from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import { countries } from '../../../../src/contract/values/countries.ts'
import { numberPlans } from '../../../../src/platform/providers/telephony/number-plans.ts'

const digits: Readonly<Record<string, string>> = { N: '23456789', Z: '123456789', X: '0123456789' }

/** Every way to fill the first `depth` letters of a pattern; the letters after them become fives. */
const fillings = (pattern: string, depth: number): string[] => {
  const letter = pattern.match(/[NZX]/)?.[0]
  if (!letter) return [pattern]
  if (depth === 0) return [pattern.replace(/[NZX]/g, '5')]
  return [...digits[letter]!].flatMap((digit) => fillings(pattern.replace(letter, digit), depth - 1))
}

// Prefixes are where a plan goes wrong: what an area may begin with. Random numbers alone would miss a rare hole in one of them.
test.each(countries)('every series of leading digits in %s has valid numbers that belong there', (country) => {
  const { callingCode, series } = numberPlans[country]
  const wrong = series
    .flatMap(({ pattern }) => fillings(pattern, 2))
    .map((national) => `+${callingCode} ${national}`)
    .filter((written) => {
      const judged = parsePhoneNumberWithError(written)
      return !judged.isValid() || judged.country !== country || judged.formatInternational() !== written
    })
  expect(wrong).toEqual([])
})

test('no two series of a country overlap, so a number belongs to one place', () => {
  for (const country of countries) {
    const prefixes = numberPlans[country].series.map(({ pattern }) =>
      pattern.replaceAll(' ', '').replace(/[NZX].*/, ''),
    )
    expect(
      prefixes.filter((prefix, at) => prefixes.some((other, there) => there !== at && other.startsWith(prefix))),
    ).toEqual([])
  }
})
