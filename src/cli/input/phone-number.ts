import { parsePhoneNumber } from '../../contract/values/phone-number.ts'

/**
 * Returns a phone number in E.164, undefined for other text. A number that is written as E.164 but cannot exist is
 * returned too: the platform rejects it.
 */
export async function normalizePhoneNumber(given: string): Promise<string | undefined> {
  const digits = given.replaceAll(/[\s().-]/g, '')
  return (await parsePhoneNumber(given.trim())) ?? (/^\+[1-9]\d{3,14}$/.test(digits) ? digits : undefined)
}

/** Describes what is wrong with a phone number that cannot be parsed, and how to write it. */
export function describeInvalidNumber(given: unknown): string {
  if (given === undefined) return 'Missing phone number.'
  const text = String(given)
  const start = `Invalid phone number "${text.slice(0, 40)}"`
  if (/^[\d\s().-]+$/.test(text) && !/^\s*0/.test(text))
    return `${start}: no plus sign. Use E.164, for example +14155550142.`
  if (/^\d[.,]\d+E\+?\d+$/i.test(text))
    return `${start}: a spreadsheet rounded it. Format that column as text and enter it again.`
  const digits = text.replaceAll(/[\s().-]/g, '')
  const suggestion = /^00[1-9]\d{5,13}$/.test(digits) ? ` Did you mean +${digits.slice(2)}?` : ''
  return `${start}. Use E.164, for example +14155550142.${suggestion}`
}
