import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { type AvailableNumber, numbers } from '../../../contract/resources/numbers.ts'
import { usd } from '../../../contract/values/money.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { describeInvalidNumber, normalizePhoneNumber } from '../input/phone-number.ts'

/** Returns a number in E.164 without a request. @throws ClientFailure `usage` with a suggestion */
export async function requirePhoneNumber(given: string): Promise<string> {
  const number = await normalizePhoneNumber(given)
  if (number === undefined) throw usageError(describeInvalidNumber(given), 'Search for numbers: parley numbers search.')
  return number
}

/** Returns the current offer for a number; undefined if the search does not return it: its price is unknown then, and a purchase asks for consent to any price. */
export async function quote(context: Context, number: string): Promise<AvailableNumber | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const country_code = parsePhoneNumberFromString(number)?.country
  if (!country_code) return undefined
  // The search accepts at most 10 digits, so other numbers may be found too.
  const offers = await offersOf(context, { country_code, contains: number.slice(-10) }).catch((error) => {
    // If the country has no numbers for sale, the purchase reports it. A platform without a search has no prices.
    if (error.exit === 'rejected' || error.exit === 'not_found') return []
    throw error
  })
  return offers.find((it) => it.phone_number === number)
}

/** Searches numbers for sale. */
export async function offersOf(
  context: Context,
  search: { country_code?: string; contains?: string },
): Promise<readonly AvailableNumber[]> {
  return (await context.call(numbers.search, search as never)).data
}

/** Returns whether the offer has a price. A deployment may omit it. */
export const isPriced = ({ price }: { readonly price: unknown }): boolean => typeof price === 'number'

/** Formats the price of an offer: `1.15 USD/month`. */
export const priceOf = (it: AvailableNumber): string => (isPriced(it) ? monthlyPrice(it.price) : 'an unknown price')

/** Formats the prices of offers, each once: `1.15 USD/month, 1.30 USD/month`. */
export const pricesOf = (offers: readonly AvailableNumber[]): string => [...new Set(offers.map(priceOf))].join(', ')

/** Returns whether an offer may be bought under `--max-price`. A number with an unknown price may not. */
export const isWithinCap = (number: AvailableNumber, cap: number | undefined): boolean =>
  cap === undefined || cap === Number.POSITIVE_INFINITY || (isPriced(number) && number.price <= cap)

/** Returns the failure of a purchase whose price is not what was allowed. Nothing was bought then. */
export const priceConflict = (message: string, hint: string): ClientFailure =>
  new ClientFailure({ exit: 'conflict', code: 'price', message, hint })

/** Returns the error of offers that are all above the cap. */
export const overpriced = (offers: readonly AvailableNumber[], cap: number | undefined): ClientFailure =>
  priceConflict(
    offers.length === 1
      ? `${offers[0]?.phone_number} costs ${pricesOf(offers)}, more than --max-price ${cap}. Nothing was bought.`
      : `All ${offers.length} numbers found cost more than --max-price ${cap}: ${pricesOf(offers)}. Nothing was bought.`,
    'Raise --max-price, or search in another country.',
  )

/** Formats a monthly price in USD: `1.15 USD/month`. */
export const monthlyPrice = (priceUsd: number): string => `${usd(priceUsd)}/month`

/** Returns whether the account owns the number; false if that is unknown, because its numbers cannot be listed: the purchase reports it then. */
export async function isOwned(context: Context, number: string): Promise<boolean> {
  const { data } = await context.call(numbers.list, {}).catch((error) => {
    if (error.sent && error.exit !== 'interrupted') return { data: [] }
    throw error
  })
  return data.some((it) => it.phone_number === number)
}

/** Returns the conditions of the purchase besides the price. */
export const caveat = ({ address_requirements: address }: AvailableNumber): string =>
  address === 'none' ? '' : `; address required: ${address}`
