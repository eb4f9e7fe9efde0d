/** Longest integer that is read, in digits. Longer ones are refused, because converting them takes time. */
const maxDigits = 1000

/** A number beyond the range of a double, or an integer with too many digits. */
export class NumberOutOfRange extends SyntaxError {
  constructor(digits: string) {
    super(`The number ${digits.slice(0, 30)}${digits.length > 30 ? '…' : ''} is out of range.`)
    this.name = 'NumberOutOfRange'
  }
}

/** Matches what every number that needs care contains. Few texts have so many digits or so large an exponent. */
const unusualNumber = /\d{16}|\d[eE]\+?\d{3}/

/** Marks digits in a text between the parser and a value. Random, so that no document can contain it. */
let mark: string | undefined
const digitsMark = (): string => (mark ??= `${[randomPart(), randomPart(), randomPart()].join('-')}:`)
/** Some test environments have no `crypto`. */
const randomPart = (): number => globalThis.crypto?.getRandomValues(new Uint32Array(1))[0] ?? Math.random()

declare const content: unique symbol

/** JSON whose value has the type T, such as a column of a table. */
export type JsonText<T> = string & { readonly [content]: T }

/**
 * Parses JSON like `JSON.parse`, but without changing digits: an integer that a JavaScript number would print
 * differently, such as 9007199254740993, becomes a `bigint`. A byte order mark at the start is skipped.
 *
 * @throws SyntaxError if the text is not JSON, or has a number outside the range of a double or with more than 1000 digits
 */
export function parseJson<T>(text: JsonText<T>): T
export function parseJson(text: string): ReturnType<typeof JSON.parse>
export function parseJson(text: string): ReturnType<typeof JSON.parse> {
  const json = withoutByteOrderMark(text)
  if (!unusualNumber.test(json)) return JSON.parse(json)
  const marked = markLargeIntegers(json)
  if (marked === json) return JSON.parse(json)
  let value: unknown
  try {
    value = JSON.parse(marked)
  } catch {
    // The position in the message is that of the original text.
    return JSON.parse(json)
  }
  return restoreLargeIntegers(value)
}

/** Writes JSON like `JSON.stringify`; a `bigint` is written as its digits. */
export const stringifyJson = ((value: unknown, replacer?: Replacer, space?: number) => {
  try {
    return JSON.stringify(value, replacer, space)
  } catch {
    // A `bigint`, which few values contain. Any other cause fails again.
    const { text, mark } = stringifyMarked(value, replacer, space)
    return text?.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
  }
}) as (value: unknown, replacer?: ((key: string, item: never) => unknown) | null, space?: number) => string

type Replacer = (key: string, item: unknown) => unknown

/**
 * Writes JSON in which each `bigint` is a string of a mark and its digits, for a reader that cannot parse large integers: the
 * sandbox, which gets the mark with the text. The mark differs in every process and is never stored.
 */
export function stringifyMarked(
  value: unknown,
  replacer?: Replacer,
  space?: number,
): { readonly text: string; readonly mark: string } {
  const start = digitsMark()
  const text = JSON.stringify(
    value,
    function (this: unknown, key, given: unknown) {
      const item = replacer ? replacer.call(this, key, given) : given
      return typeof item === 'bigint' ? `${start}${item}` : item
    },
    space,
  )
  return { text, mark: start }
}

/** Returns a text without the byte order mark that some editors and spreadsheet programs write at its start. */
export const withoutByteOrderMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

/** Returns an integer as a number if that prints the same digits, otherwise as a `bigint`. */
export const exactInteger = (digits: string): number | bigint =>
  String(Number(digits)) === digits ? Number(digits) : BigInt(digits)

/** Returns JSON in which each integer that a number cannot print is a marked string. @throws SyntaxError */
function markLargeIntegers(json: string): string {
  const isInString = stringScanner(json)
  const candidates = new RegExp(unusualNumber, 'g')
  let marked = ''
  let copied = 0
  for (let found = candidates.exec(json); found; found = candidates.exec(json)) {
    if (isInString(found.index)) continue
    let [start, end] = [found.index, candidates.lastIndex]
    while (isPartOfNumber(json, start - 1)) start -= 1
    while (isPartOfNumber(json, end)) end += 1
    candidates.lastIndex = end
    const token = json.slice(start, end)
    const isInteger = /^-?[1-9]\d*$/.test(token)
    if (isInteger ? token.length > maxDigits : isOutOfRange(token)) throw new NumberOutOfRange(token)
    // A name without quotes is an error that the parser reports.
    if (!isInteger || String(Number(token)) === token || isName(json, end)) continue
    marked += `${json.slice(copied, start)}"${digitsMark()}${token}"`
    copied = end
  }
  return copied === 0 ? json : marked + json.slice(copied)
}

/** Returns whether a colon follows, after optional whitespace. */
function isName(json: string, end: number): boolean {
  const colon = /\s*:/y
  colon.lastIndex = end
  return colon.test(json)
}

const isPartOfNumber = (json: string, at: number): boolean => /[\d.eE+-]/.test(json.charAt(at))

/** Returns whether a fraction or a number with an exponent is valid JSON but too large for a double. */
const isOutOfRange = (token: string): boolean =>
  !Number.isFinite(Number(token)) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(token)

/** Returns a function that says whether a position is in a string. Positions must increase. */
function stringScanner(json: string): (at: number) => boolean {
  let open = json.indexOf('"')
  let close = open < 0 ? -1 : closingQuote(json, open)
  return (at) => {
    while (open >= 0 && close >= 0 && close < at) {
      open = json.indexOf('"', close + 1)
      if (open >= 0) close = closingQuote(json, open)
    }
    return open >= 0 && open < at
  }
}

/** Returns the position of the quote that ends a string; -1 if there is none. */
function closingQuote(json: string, open: number): number {
  let close = json.indexOf('"', open + 1)
  for (; close > 0; close = json.indexOf('"', close + 1)) {
    let slashes = 0
    while (json.charCodeAt(close - 1 - slashes) === 0x5c) slashes += 1
    if (slashes % 2 === 0) break
  }
  return close
}

/** Replaces marked strings in a parsed value. It does not recurse, because a document may be nested deeply. */
function restoreLargeIntegers(root: unknown): unknown {
  const start = digitsMark()
  const restored = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(start) ? BigInt(value.slice(start.length)) : value
  const open: unknown[] = [root]
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    if (typeof holder !== 'object' || holder === null) continue
    const fields = holder as Record<string | number, unknown>
    const visit = (key: string | number): void => {
      const value = fields[key]
      if (typeof value === 'object') open.push(value)
      else if (typeof value === 'string') fields[key] = restored(value)
    }
    if (Array.isArray(holder)) for (let n = 0; n < holder.length; n += 1) visit(n)
    else for (const key of Object.keys(holder)) visit(key)
  }
  return restored(root)
}
