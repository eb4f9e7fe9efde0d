import { isObject } from '../../../contract/values/json-object.ts'

// Patterns of personal data in texts, for exports and for tests from real conversations.

/** An IBAN, in groups of four or without spaces. */
export const ibanPattern = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g
/** A street with its number, in the English or the German order. */
export const streetPattern =
  /\b\d{1,5}[a-z]? (?:\p{Lu}[\p{L}'-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Square|Court|Place)\b\.?|(?<!\p{L})\p{Lu}[\p{L}-]*(?:straße|strasse|gasse|allee|platz|weg) \d{1,4}[a-z]?\b/gu
/** A date of birth: the first group has the words before it, the second the date. */
export const birthPattern =
  /\b((?:born|birthday|birth|dob|geboren|geburtstag)\b[^\d.]{0,20})(\d{4}-\d\d-\d\d|\d\d?[./-]\d\d?[./-]\d{2,4})/giu

/** Words before a name, and the name after them. In transcripts of speech, it may be in lower case. */
const statedNames: readonly (readonly [before: RegExp, name: RegExp])[] = [
  [
    /\b(?:my name is|my name's|i am called|i'm called) /giu,
    /^(?!(?:already|in|not|on|spelled|the|under)\b)\p{L}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2}/u,
  ],
  [/\b(?:this is|i'm|i am|it's) /giu, /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2}/u],
]

/** Returns the names that a text states of its writer. */
export const statedNamesIn = (text: string): string[] =>
  statedNames.flatMap(([before, name]) =>
    [...text.matchAll(before)].flatMap(({ 0: words, index }) => name.exec(text.slice(index + words.length))?.[0] ?? []),
  )

const fullName = 'Ada Lovelace'

/**
 * Replacements of personal data, by the name of their field. The first that fits is used. Scenario files have the
 * replacements: another one changes new files only.
 */
const fieldReplacements: readonly (readonly [field: RegExp, replacement: string])[] = [
  [/e-?mail/i, 'person@example.com'],
  [/phone|mobile|caller/i, '+14155550142'],
  [/first_?name|given_?name/i, 'Ada'],
  [/last_?name|surname|family_?name/i, 'Lovelace'],
  [/assistant_name|campaign_name|tool_name/i, ''],
  [/(^|_)(name|customer|patient|contact|owner)$/i, fullName],
  [/address|street|city|post_?code|zip/i, '1 Example Street'],
  [/birth|dob/i, '1990-01-01'],
  [/passport|insurance|ssn|tax|iban|account_?number|card/i, '000000000'],
]

const emailPattern = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g
/** Digits as in telephone and card numbers. Dates and times are excluded below. */
const digitsPattern = /(?<![\w-])(?:\+?\d|\(\d{1,5}\) ?\d)[\d ()./-]{4,}\d(?![\w-])/g
const datePattern = /^(\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{2,4})( \d\d?)?$/
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Note about a file of which an `Anonymizer` replaced personal data. */
export const replacedNote =
  'Personal data was replaced where it was recognized. Read the file before you share it: names in free text may remain.'

/** Replaces personal data. The same value gets the same replacement everywhere. */
export class Anonymizer {
  readonly #known = new Map<string, string>()
  /** Parts of full names, which are replaced only in the same case: "Will" is a name, "will" is not. */
  readonly #parts = new Map<string, string>()
  readonly #used = new Map<string, number>()
  readonly #unchanged = new Set<string>()

  /** Keeps the texts and numbers in a value everywhere, also if they are personal. Call it before `learn`. */
  keep(value: unknown): void {
    if (Array.isArray(value)) for (const entry of value) this.keep(entry)
    else if (isObject(value)) for (const entry of Object.values(value)) this.keep(entry)
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      this.#unchanged.add(String(value))
      this.#known.set(String(value), String(value))
    }
  }

  /** Remembers the personal values in the fields of a value, so that they are replaced in texts too. */
  learn(value: unknown, field = ''): void {
    if (Array.isArray(value)) for (const entry of value) this.learn(entry, field)
    else if (isObject(value)) for (const [name, entry] of Object.entries(value)) this.learn(entry, name)
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      const replacement = fieldReplacements.find(([pattern]) => pattern.test(field))?.[1]
      if (replacement && String(value).length > 1 && !this.#unchanged.has(String(value)))
        this.#remember(String(value), replacement)
    }
  }

  /** Returns a text without personal data. */
  text(text: string): string {
    for (const name of statedNamesIn(text))
      if (!this.#known.has(name) && !this.#parts.has(name)) this.#remember(name, fullName)
    let result = text
    // Longer values first, because they may contain shorter ones.
    for (const [value, replacement] of [...this.#known].sort(([a], [b]) => b.length - a.length))
      result = result.replaceAll(
        new RegExp(`(?<![\\p{L}\\p{N}])${escaped(value)}(?![\\p{L}\\p{N}])`, 'giu'),
        replacement,
      )
    for (const [part, replacement] of this.#parts)
      result = result.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(part)}(?![\\p{L}\\p{N}])`, 'gu'), replacement)
    return result
      .replaceAll(birthPattern, (_, words: string) => `${words}1990-01-01`)
      .replaceAll(streetPattern, '1 Example Street')
      .replaceAll(ibanPattern, (it) => this.#replace(it, 'GB00TEST'))
      .replaceAll(emailPattern, (it) => this.#replace(it, 'person@example.com'))
      .replaceAll(digitsPattern, (digits) =>
        datePattern.test(digits) || digits.replaceAll(/\D/g, '').length < 7
          ? digits
          : this.#replace(digits, '+14155550142'),
      )
  }

  /** Returns a copy of a value without personal data. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((it) => this.value(it))
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.value(inner)]))
    return (typeof value === 'number' || typeof value === 'bigint') &&
      this.#known.has(String(value)) &&
      !this.#unchanged.has(String(value))
      ? this.#known.get(String(value))
      : value
  }

  #remember(value: string, usual: string): void {
    this.#known.set(value, this.#next(usual))
    const [first, ...others] = usual === fullName ? value.split(' ') : []
    if (others.length === 0) return
    for (const part of [first as string, ...others])
      if (part.length > 1 && !this.#unchanged.has(part)) this.#parts.set(part, part === first ? 'Ada' : 'Lovelace')
  }

  #replace(found: string, usual: string): string {
    if ([...this.#known.values()].includes(found)) return found
    const replacement = this.#known.get(found) ?? this.#next(usual)
    this.#known.set(found, replacement)
    return replacement
  }

  /** Returns a replacement that no other value has. */
  #next(usual: string): string {
    const count = this.#used.get(usual) ?? 0
    this.#used.set(usual, count + 1)
    if (count === 0) return usual
    if (usual.startsWith('+')) return `+141555501${String((42 + count) % 100).padStart(2, '0')}`
    return usual.includes('@') ? `person${count + 1}@example.com` : `${usual} ${count + 1}`
  }
}
