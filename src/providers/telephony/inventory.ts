import { type Country, countries } from '../../contract/countries.ts'
import type { InventoryNumber } from '../../services/ports.ts'
import { plans, type Series } from './plans.ts'
import { randomFrom } from './random.ts'

/** Numbers a country has. Divided among its series, so each place of a large country still has some. */
const stock = 384

const lowest: Readonly<Record<string, number>> = { N: 2, Z: 1, X: 0 }

/** One number of a series as its country writes it, without the calling code. */
const fill = (pattern: string, random: (below: number) => number): string =>
  pattern.replace(/[NZX]/g, (letter) => {
    const least = lowest[letter] ?? 0
    return String(least + random(10 - least))
  })

const isSmsCapable = (sms: Series['sms'], random: (below: number) => number): boolean => sms === 'all' || (sms === 'most' && random(8) > 0)

/** What a country has for sale at first: a pure function of its arguments. Neighbours in the list are of different places. */
export function stockOf(seed: string, country: Country): ReadonlyMap<string, InventoryNumber> {
  const { callingCode, series } = plans[country]
  const random = randomFrom(`${seed}:${country}`)
  const numbers = new Map<string, InventoryNumber>()
  for (let turn = 0; numbers.size < stock; turn++) {
    const { pattern, region, addressRequirements, sms } = series[turn % series.length] as Series
    const national = fill(pattern, random)
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

/** Everything the local provider owns, made a country at a time when first asked for. */
export interface Inventory {
  /** At most `limit` numbers of the country whose E.164 digits contain `contains`, without those in `except`. */
  search(query: { country: Country; contains?: string | undefined; limit: number }, except: ReadonlySet<string>): readonly InventoryNumber[]
  find(phoneNumber: string): InventoryNumber | null
}

export function createInventory(seed: string): Inventory {
  const made = new Map<Country, ReadonlyMap<string, InventoryNumber>>()
  const of = (country: Country): ReadonlyMap<string, InventoryNumber> => {
    const known = made.get(country)
    if (known) return known
    const fresh = stockOf(seed, country)
    made.set(country, fresh)
    return fresh
  }

  return {
    search({ country, contains = '', limit }, except) {
      const found: InventoryNumber[] = []
      for (const [phoneNumber, number] of of(country)) {
        if (found.length >= limit) break
        if (phoneNumber.includes(contains) && !except.has(phoneNumber)) found.push(number)
      }
      return found
    },
    find(phoneNumber) {
      for (const country of countries) {
        const number = phoneNumber.startsWith(`+${plans[country].callingCode}`) && of(country).get(phoneNumber)
        if (number) return number
      }
      return null
    },
  }
}
