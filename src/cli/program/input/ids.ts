import { isNumericId } from '../../../contract/values/numeric-id.ts'

/** Returns an id for the path of a request. One that a number cannot hold is sent as text, digit for digit. */
export const pathId = (id: number | string): number => (/^\d{1,15}$/.test(String(id)) ? Number(id) : id) as number

/** Form of UUIDs, such as the ids of conversations. They are compared without regard to case. */
export const uuidPattern = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Returns whether a value is an id that a number cannot hold. It is sent with all digits, although the contract says number. */
export const isLargeId = (value: unknown): boolean => isNumericId(value) && !Number.isSafeInteger(Number(value))

/** Returns whether two ids are the same. One that a number cannot hold is a `bigint` in a response and a text in an argument. */
export const isSameId = (a: unknown, b: unknown): boolean => String(a) === String(b)

/**
 * Returns whether the value of a flag or field that takes an id is a name, which is resolved by reading a list: text that is not a
 * number, or a phone number without its plus sign.
 */
export const isName = (value: unknown): boolean =>
  typeof value === 'string'
    ? !/^(|\d{1,9}|-?\d+(\.\d*)?|null|true|false)$/.test(value)
    : typeof value === 'number' && value > 999_999_999
