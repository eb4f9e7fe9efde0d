import { type AvailableNumber, numbers } from '../../../contract/resources/numbers.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'

/** Normalizes a number to E.164 without a request. @throws ClientFailure `usage` with a suggestion */
export function checkNumber(given: string): string {
  const number = given.replaceAll(/[\s().-]/g, '')
  if (/^\+[1-9]\d{3,14}$/.test(number)) return number
  const meant = /^00[1-9]\d{5,13}$/.test(number) ? ` Did you mean +${number.slice(2)}?` : ''
  throw usageError(
    `Invalid phone number "${given}". Use E.164, for example +14155550142.${meant}`,
    'Search for numbers: parley numbers search.',
  )
}

/** Returns the current offer for a number; undefined if the search does not return it. */
export async function quote(context: Context, number: string): Promise<AvailableNumber | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const country_code = parsePhoneNumberFromString(number)?.country
  if (!country_code) return undefined
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
export const priceOf = (it: AvailableNumber): string =>
  isPriced(it) ? `${it.price.toFixed(2)} USD/month` : 'an unknown price'

/** Returns whether the account owns the number. If the list cannot be read, the purchase itself reports it. */
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
