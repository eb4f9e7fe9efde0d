/**
 * Parses a value as zod does, and returns `mismatch` for every value that zod might reject. Zod then decides and
 * creates the errors.
 */
export type Parse = (value: unknown) => unknown

/** Result of a Parse function for a value that it does not accept. */
export const mismatch = Symbol('mismatch')

/** Parse function of a part that only zod can parse, so that values without it are still parsed. */
export const undecided: Parse = () => mismatch

/** What zod does with an absent field of an object: an optional one stays absent, a default replaces another. */
export type Absence = 'required' | 'optional' | 'defaulted'

/** Field of an object. */
export interface FieldParser {
  readonly name: string
  readonly parse: Parse
  readonly absence: Absence
  /** Whether the field may also be absent in the result. */
  readonly isOptionalResult: boolean
}

/** Returns a Parse function that accepts values that fulfil a condition, unchanged. */
export const accepting =
  (isValid: (value: unknown) => boolean): Parse =>
  (value) =>
    isValid(value) ? value : mismatch

/** Adds a condition to a Parse function. */
export const checked =
  (parse: Parse, isValid: (value: unknown) => boolean): Parse =>
  (value) => {
    const parsed = parse(value)
    return parsed === mismatch || !isValid(parsed) ? mismatch : parsed
  }

/** Returns a Parse function of lists. */
export const parseArray =
  (item: Parse): Parse =>
  (value) => {
    if (!Array.isArray(value)) return mismatch
    const parsed = new Array<unknown>(value.length)
    for (let n = 0; n < value.length; n++) {
      const it = item(value[n])
      if (it === mismatch) return mismatch
      parsed[n] = it
    }
    return parsed
  }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a Parse function of objects, without their other properties. */
export const parseObject =
  (fields: readonly FieldParser[]): Parse =>
  (value) => {
    if (!isRecord(value)) return mismatch
    const parsed: Record<string, unknown> = {}
    for (const { name, parse, absence, isOptionalResult } of fields) {
      const isPresent = name in value
      if (!isPresent && (absence === 'required' || (absence === 'optional' && isOptionalResult))) {
        if (absence === 'required') return mismatch
        continue
      }
      const it = parse(value[name])
      if (it === mismatch) return mismatch
      if (it !== undefined || isPresent || (absence === 'defaulted' && !isOptionalResult)) parsed[name] = it
    }
    return parsed
  }

/** Returns a Parse function of maps from any names to values. */
export const parseRecord =
  (item: Parse): Parse =>
  (value) => {
    if (!isRecord(value)) return mismatch
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return mismatch
    if (Object.getOwnPropertySymbols(value).length > 0) return mismatch
    const parsed: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      if (name === '__proto__') return mismatch
      const it = item(value[name])
      if (it === mismatch) return mismatch
      parsed[name] = it
    }
    return parsed
  }

const copyOf = (value: unknown): unknown => (Array.isArray(value) ? [...value] : isRecord(value) ? { ...value } : value)

/** Returns a Parse function that replaces a missing value. */
export const parseWithDefault =
  (inner: Parse, defaultValue: () => unknown): Parse =>
  (value) => {
    const parsed = value === undefined ? undefined : inner(value)
    return parsed === undefined ? copyOf(defaultValue()) : parsed
  }
