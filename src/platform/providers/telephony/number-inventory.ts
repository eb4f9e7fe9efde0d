// The numbers for sale of the local provider. They follow from the seed alone, and examples, tests and `--seed` rely on it: a
// change of the order of random calls changes all of them.

import { type Country, countries } from '../../../contract/values/countries.ts'
import type { InventoryNumber } from '../../../engine/ports.ts'
import { type NumberSeries, numberPlans } from './number-plans.ts'

/**
 * Returns a repeatable random generator: the same text always gives the same sequence. Each call returns an integer
 * from 0 to `below` - 1. Not for secrets.
 */
function seededRandom(text: string): (below: number) => number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return (below) => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000) * below)
  }
}

/**
 * Numbers for each country. They are divided among its series, so that each region of a large country still has some. More of them
 * follow after the present ones; with fewer, some of the present ones are not for sale any more.
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

/** The numbers of a country. They are generated when they are first needed. */
interface Stock extends Iterable<InventoryNumber> {
  find(phoneNumber: string): InventoryNumber | undefined
}

/**
 * Creates the initial stock of a country. The result depends only on the arguments. Adjacent numbers are from different
 * regions.
 */
export function createStock(seed: string, country: Country): Stock {
  const { callingCode, series } = numberPlans[country]
  const random = seededRandom(`${seed}:${country}`)
  const numbers = new Map<string, InventoryNumber>()
  let turn = 0

  function addNumber(): InventoryNumber | undefined {
    const { pattern, region, addressRequirements, sms } = series[turn++ % series.length] as NumberSeries
    const national = fillPattern(pattern, random)
    const phoneNumber = `+${callingCode}${national.replaceAll(' ', '')}`
    const smsCapable = isSmsCapable(sms, random)
    if (numbers.has(phoneNumber)) return undefined
    const formatted = `+${callingCode} ${national}`
    const number = { phoneNumber, formatted, country, region, addressRequirements, smsCapable }
    numbers.set(phoneNumber, number)
    return number
  }

  return {
    *[Symbol.iterator]() {
      yield* numbers.values()
      while (numbers.size < numbersPerCountry) {
        const number = addNumber()
        if (number) yield number
      }
    },
    find(phoneNumber) {
      while (numbers.size < numbersPerCountry) addNumber()
      return numbers.get(phoneNumber)
    },
  }
}

/** All numbers of the local provider. */
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

/** Stocks that were created, by seed and country. A program that tests itself creates many platforms of one seed. */
const stocks = new Map<string, Stock>()
/** A few megabytes. */
const maxStocks = 100

/** Creates the inventory of a seed. */
export function createInventory(seed: string): NumberInventory {
  const countryStock = (country: Country): Stock => {
    const key = `${seed}:${country}`
    const known = stocks.get(key)
    if (known) return known
    if (stocks.size >= maxStocks) stocks.clear()
    const fresh = createStock(seed, country)
    stocks.set(key, fresh)
    return fresh
  }

  return {
    search({ country, contains = '', limit }, except) {
      const found: InventoryNumber[] = []
      for (const number of countryStock(country)) {
        if (found.length >= limit) break
        if (number.phoneNumber.includes(contains) && !except.has(number.phoneNumber)) found.push(number)
      }
      return found
    },
    find(phoneNumber) {
      for (const country of countries) {
        const number =
          phoneNumber.startsWith(`+${numberPlans[country].callingCode}`) && countryStock(country).find(phoneNumber)
        if (number) return number
      }
      return null
    },
  }
}
