import { isTimeZone } from '../../contract/values/time-zone.ts'

/** Validation of a parameter value, with a description of valid values, which the refusal of the API contains. */
export interface ParamCheck {
  readonly description: string
  readonly isValid: (value: string) => boolean
}

const matchesPattern = (words: string, pattern: RegExp): ParamCheck => ({
  description: words,
  isValid: (it) => pattern.test(it),
})
const hasToken = (text: string): boolean => /\{\{.+?\}\}/.test(text)
const inRange = (words: string, min: number, max: number, isWhole: boolean): ParamCheck => ({
  description: words,
  isValid: (text) =>
    /^\d+(\.\d+)?$/.test(text) &&
    Number(text) >= min &&
    Number(text) <= max &&
    (!isWhole || Number.isInteger(Number(text))),
})

export const id = matchesPattern('an id, such as 1', /^[1-9]\d{0,14}$/)
/** Safe inside quotes in expressions. */
export const variable = matchesPattern(
  'the name of a variable: letters, digits, spaces, dashes and underscores',
  /^[\p{L}\p{N}_][\p{L}\p{N}_ -]{0,63}$/u,
)
/** Safe inside quotes in expressions. */
export const column = matchesPattern(
  'the header of a column, without quotes, braces or backslashes',
  /^[^'"`{}\\\r\n]{1,128}$/,
)
export const header = matchesPattern('the name of a header, such as X-API-Key', /^[!#$%&'*+.^_`|~\w-]{1,128}$/)
export const address: ParamCheck = {
  description: 'an http or https address',
  isValid: (it) => /^https?:\/\/[^\s]+$/i.test(it) && (hasToken(it) || URL.canParse(it)),
}
/** Email address, or an expression that resolves to one. */
export const mail: ParamCheck = {
  description: 'an email address',
  isValid: (it) => hasToken(it) || /^[^\s@<>,]+@[^\s@<>,]+$/.test(it),
}
export const zone: ParamCheck = { description: 'a time zone, such as Europe/Paris', isValid: isTimeZone }
// The same limits as the inputs of the schedule triggers in engine/pieces/registry.ts.
export const minutes = inRange('minutes from 1 to 59', 1, 59, true)
export const hourOfDay = inRange('an hour from 0 to 23', 0, 23, true)
export const hours = inRange('hours from 0 to 8760', 0, 8760, false)
