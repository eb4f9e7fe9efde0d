import { isTimeZone } from '../steps/fields.ts'

/** What a value must be, in words, and whether one is. */
export interface Check {
  readonly words: string
  readonly isSo: (value: string) => boolean
}

const like = (words: string, pattern: RegExp): Check => ({ words, isSo: (it) => pattern.test(it) })
const hasToken = (text: string): boolean => /\{\{.+?\}\}/.test(text)
const within = (words: string, min: number, max: number, isWhole: boolean): Check => ({
  words,
  isSo: (it) => /^\d+(\.\d+)?$/.test(it) && Number(it) >= min && Number(it) <= max && (!isWhole || Number.isInteger(Number(it))),
})

export const id = like('an id, such as 1', /^[1-9]\d{0,14}$/)
/** Stands in expressions, between quotes. */
export const variable = like('the name of a variable: letters, digits, spaces, dashes and underscores', /^[\p{L}\p{N}_][\p{L}\p{N}_ -]{0,63}$/u)
/** Stands in expressions, between quotes. */
export const column = like('the header of a column, without quotes, braces or backslashes', /^[^'"`{}\\\r\n]{1,128}$/)
export const header = like('the name of a header, such as X-API-Key', /^[!#$%&'*+.^_`|~\w-]{1,128}$/)
export const address: Check = { words: 'an http or https address', isSo: (it) => /^https?:\/\/[^\s]+$/i.test(it) && (hasToken(it) || URL.canParse(it)) }
/** Somebody's mail address, or an expression that comes to one. */
export const mail: Check = { words: 'a mail address', isSo: (it) => hasToken(it) || /^[^\s@<>,]+@[^\s@<>,]+$/.test(it) }
export const zone: Check = { words: 'a time zone, such as Europe/Paris', isSo: isTimeZone }
export const minutes = within('minutes from 1 to 59', 1, 59, true)
export const hourOfDay = within('an hour from 0 to 23', 0, 23, true)
export const hours = within('hours from 0 to 8760', 0, 8760, false)
