import { numberingCountries, parsePhoneNumber } from '../../../contract/values/phone-number.ts'
import { usageError } from '../errors/usage-error.ts'

/** What people write in place of a code, where it is not the name of the country. */
const otherCountryNames: Readonly<Record<string, string>> = {
  america: 'US',
  britain: 'GB',
  england: 'GB',
  holland: 'NL',
  'great britain': 'GB',
  uk: 'GB',
  usa: 'US',
}

/** Returns the English name of a country; its code if it has none. */
export const countryName = (code: string): string => new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code

/**
 * Returns a country code in capital letters. @throws ClientFailure `usage` for the name of one of the countries, with its
 * code
 */
export function countryCode(given: string, countries: readonly string[]): string {
  const code = given.trim().toUpperCase()
  const meant =
    otherCountryNames[given.trim().toLowerCase()] ?? countries.find((it) => countryName(it).toUpperCase() === code)
  if (meant === undefined) return code
  throw usageError(
    `Unknown country "${given}". Did you mean ${meant} (${countryName(meant)})?`,
    `Use a code of ISO 3166-1${countries.length > 20 ? '' : `: ${countries.join(', ')}`}.`,
  )
}

/** Returns the code of a country that has phone numbers. @throws ClientFailure `usage` */
export async function numberingCountry(given: string): Promise<string> {
  const countries = await numberingCountries()
  const code = countryCode(given, countries)
  if (countries.includes(code)) return code
  throw usageError(`Unknown country "${given}" in --country.`, 'Use a code of ISO 3166-1, such as GB or US.')
}

/**
 * Removes the invisible characters that copying from a web page or a spreadsheet adds, such as U+202A, and the apostrophe
 * before the plus sign that a spreadsheet marks text with. Digits, spaces and dashes become ASCII.
 */
export const plainNumber = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\p{Pd}|\u2212/gu, '-')
    .trim()
    .replace(/^['\u2019](?=\+)/, '')

/**
 * Returns a phone number in E.164, undefined for other text. A number that is written as E.164 but cannot exist is
 * returned too: the platform rejects it. The journal compares numbers as texts to find repeated sends, so each has one form.
 */
export async function normalizePhoneNumber(given: string): Promise<string | undefined> {
  const plain = plainNumber(given)
  const digits = plain.replaceAll(/[\s().-]/g, '')
  return (await parsePhoneNumber(plain)) ?? (/^\+[1-9]\d{3,14}$/.test(digits) ? digits : undefined)
}

/** Returns the fields with the numbers of a lead and of its secondary contacts in E.164, as the platform takes them. */
export async function normalizeLeadNumbers<T extends Readonly<Record<string, unknown>>>(fields: T): Promise<T> {
  const normalize = async <V>(record: V): Promise<V> => {
    const given = (record as { readonly phone_number?: unknown } | undefined)?.phone_number
    if (typeof given !== 'string') return record
    return { ...record, phone_number: (await normalizePhoneNumber(given)) ?? given }
  }
  const { secondary_contacts: contacts } = fields
  return normalize({
    ...fields,
    ...(Array.isArray(contacts) && { secondary_contacts: await Promise.all(contacts.map(normalize)) }),
  })
}

const hex = (it: string): string => (it.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

/**
 * Describes what is wrong with a phone number that cannot be parsed, and how to write it. `country` is that of numbers
 * without a country code, if it is known.
 */
export function describeInvalidNumber(given: unknown, country?: string): string {
  if (given === undefined) return 'Missing phone number.'
  const text = plainNumber(String(given)).replaceAll(/[^\x20-\x7e]/gu, (it) => `<U+${hex(it)}>`)
  const start = `Invalid phone number "${text.slice(0, 40)}"`
  if (country !== undefined && /^[\d\s()./-]+$/.test(text))
    return `${start} of ${country}. Use E.164 for numbers of other countries.`
  if (/^[\d\s().-]+$/.test(text) && !/^\s*0/.test(text))
    return `${start}: no plus sign. Use E.164, for example +14155550142.`
  if (/^\d[.,]\d+E\+?\d+$/i.test(text))
    return `${start}: a spreadsheet rounded it. Format that column as text and enter it again.`
  const digits = text.replaceAll(/[\s().-]/g, '')
  const mexican = /^\+521(\d{10})$/.exec(digits)?.[1]
  if (mexican !== undefined)
    return `${start}. Since 2019, mobile numbers of Mexico have no 1 after +52. Did you mean +52${mexican}?`
  if (/^0[1-9]\d{3,}$/.test(digits))
    return `${start}: no country code. Use E.164: + and the country code in place of the first 0, for example +442079460172 for 020 7946 0172.`
  const suggestion = /^00[1-9]\d{5,13}$/.test(digits) ? ` Did you mean +${digits.slice(2)}?` : ''
  return `${start}. Use E.164, for example +14155550142.${suggestion}`
}
