import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { expect, test } from 'vitest'
import { loadPhoneNumberParser } from '../../../src/contract/values/phone-number.ts'
import { caseCount } from '../../support/case-count.ts'

test('the fast check of a number agrees with the library, for every country code', async () => {
  const read = await loadPhoneNumberParser()
  const wrong: string[] = []
  let seed = 7
  const digit = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((seed / 2 ** 32) * 10)
  }
  for (const code of [...new Set(getCountries().map((it) => getCountryCallingCode(it))), '800', '878', '979', '999'])
    for (let n = 0; n < caseCount(200, 50); n++) {
      const number = `+${code}${Array.from({ length: 4 + (n % 11) }, digit).join('')}`
      const parsed = number.length <= 26 ? parsePhoneNumberFromString(number) : undefined
      if (read(number) !== (parsed?.isPossible() ? parsed.number : undefined)) wrong.push(number)
    }
  expect(wrong).toEqual([])
})
