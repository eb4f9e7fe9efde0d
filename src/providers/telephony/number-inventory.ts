import { type Country, countries } from '../../contract/values/countries.ts'
import type { InventoryNumber } from '../ports/telephony.ts'
import { type NumberSeries, numberPlans } from './number-plans.ts'
import { seededRandom } from './seeded-random.ts'

/**
 * Numbers for each country. They are divided among its series, so that each region of a large country still has some.
 */
const numbersPerCountry = 384

const minDigit: Readonly<Record<string, number>> = { N: 2, Z: 1, X: 0 }

/** Returns a number of a series in national format, without the calling code. */
const fillPattern = (pattern: string, random: (below: number) => number): string =>
  pattern.replace(/[NZX]/g, (letter) => {
    const least = minDigit[letter] ?? 0
    return String(least + random(10 - least))
  })

const isSmsCapable = (sms: NumberSeries['sms'], random: (below: number) => number): boolean =>
  sms === 'all' || (sms === 'most' && random(8) > 0)

/**
 * Returns the initial stock of a country. The result depends only on the arguments. Adjacent numbers are from different
 * regions.
 */
export function createStock(seed: string, country: Country): ReadonlyMap<string, InventoryNumber> {
  const { callingCode, series } = numberPlans[country]
  const random = seededRandom(`${seed}:${country}`)
  const numbers = new Map<string, InventoryNumber>()
  for (let turn = 0; numbers.size < numbersPerCountry; turn++) {
    const { pattern, region, addressRequirements, sms } = series[turn % series.length] as NumberSeries
    const national = fillPattern(pattern, random)
    const phoneNumber = `+${callingCode}${national.replaceAll(' ', '')}`
    numbers.set(phoneNumber, {
      phoneNumber,
      formatted: `+${callingCode} ${national}`,
      country,
      region,
      addressRequirements,
      smsCapable: isSmsCapable(sms, random),
    })
  }
  return numbers
}

/** All numbers of the local provider. The stock of a country is generated on first use. */
export interface NumberInventory {
  /**
   * Returns at most `limit` numbers of the country whose E.164 digits contain `contains`, without those in `except`.
   */
  search(
    query: { country: Country; contains?: string | undefined; limit: number },
    except: ReadonlySet<string>,
  ): readonly InventoryNumber[]
  find(phoneNumber: string): InventoryNumber | null
}

/** Creates the inventory of a seed. */
export function createInventory(seed: string): NumberInventory {
  const stocks = new Map<Country, ReadonlyMap<string, InventoryNumber>>()
  const countryStock = (country: Country): ReadonlyMap<string, InventoryNumber> => {
    const known = stocks.get(country)
    if (known) return known
    const fresh = createStock(seed, country)
    stocks.set(country, fresh)
    return fresh
  }

  return {
    search({ country, contains = '', limit }, except) {
      const found: InventoryNumber[] = []
      for (const [phoneNumber, number] of countryStock(country)) {
        if (found.length >= limit) break
        if (phoneNumber.includes(contains) && !except.has(phoneNumber)) found.push(number)
      }
      return found
    },
    find(phoneNumber) {
      for (const country of countries) {
        const number =
          phoneNumber.startsWith(`+${numberPlans[country].callingCode}`) && countryStock(country).get(phoneNumber)
        if (number) return number
      }
      return null
    },
  }
}
