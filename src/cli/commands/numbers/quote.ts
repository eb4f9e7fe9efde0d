import { type AvailableNumber, numbers } from '../../../contract/resources/numbers.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'

/** A number as E.164, or exit 2 with what was probably meant. Nothing is asked of the platform for something that cannot be one. */
export function checkNumber(given: string): string {
  const number = given.replaceAll(/[\s().-]/g, '')
  if (/^\+[1-9]\d{3,14}$/.test(number)) return number
  const meant = /^00[1-9]\d{5,13}$/.test(number) ? ` Did you mean +${number.slice(2)}?` : ''
  throw usageError(
    `"${given}" is not a phone number in E.164: a plus sign, the country code, the number.${meant}`,
    'Find numbers that are for sale: parley numbers search.',
  )
}

/** The number as the platform offers it now; undefined when a search does not show it. */
export async function quote(context: Context, number: string): Promise<AvailableNumber | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const country_code = parsePhoneNumberFromString(number)?.country
  if (!country_code) return undefined
  const offers = await offersOf(context, { country_code, contains: number.slice(-10) }).catch((error) => {
    // A country without numbers for sale: the purchase itself says so in the platform's words. And a platform without a search has no prices.
    if (error.exit === 'rejected' || error.exit === 'not_found') return []
    throw error
  })
  return offers.find((it) => it.phone_number === number)
}

export async function offersOf(
  context: Context,
  search: { country_code?: string; contains?: string },
): Promise<readonly AvailableNumber[]> {
  return (await context.call(numbers.search, search as never)).data
}

/** A deployment may leave the price out. */
export const isPriced = ({ price }: { readonly price: unknown }): boolean => typeof price === 'number'

/** `1.15 USD a month`. */
export const priceOf = (it: AvailableNumber): string =>
  isPriced(it) ? `${it.price.toFixed(2)} USD a month` : 'a price that was not told'

/** Whether the number is the account's own. Where the list is not to be had, that is for the purchase itself to say. */
export async function isOwned(context: Context, number: string): Promise<boolean> {
  const { data } = await context.call(numbers.list, {}).catch((error) => {
    if (error.sent && error.exit !== 'interrupted') return { data: [] }
    throw error
  })
  return data.some((it) => it.phone_number === number)
}

/** What a buyer should know besides the price. */
export const caveat = ({ address_requirements: address }: AvailableNumber): string =>
  address === 'none' ? '' : ` An address is required (${address}).`
