import { isObject } from '../../../contract/values/json-object.ts'
import { birthPattern, ibanPattern, statedNamesIn, streetPattern } from './anonymizer.ts'

const email = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu
/** International numbers, numbers in groups, and long digits. Times and UUIDs are none of them. */
const phone =
  /(?:\+|\b00)\d(?:[\s().-]{0,2}\d){6,14}|(?:\(\d{2,4}\)\s?|\b\d{3}[-. ])\d{3}[-. ]\d{4}\b|\b0\d{2,4}[ /-]\d{4,8}\b|(?<![\w-])\d{9,15}(?![\w-])/g
/** Digits that may be those of a payment card, together or in groups. */
const card = /(?<![\w+-])\d(?:[ -]?\d){12,18}(?![\w-])/g

/** Returns whether the last digit is the check digit that payment cards have. */
function isCard(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, '')].reverse().map(Number)
  const sum = digits.reduce((all, it, n) => all + (n % 2 === 0 ? it : it < 5 ? 2 * it : 2 * it - 9), 0)
  return sum % 10 === 0
}

/** Variables whose values are names of people. */
const nameField = /(^|_)(name|surname|firstname|lastname)$|[a-z](?:Name)$/
/** Fields whose values identify a record and are not personal data. */
const isIdentifier = (key: string): boolean => /^(id|uuid|assistant_id|assistant_name|type|role|.*_at)$/.test(key)

type Names = readonly RegExp[]

/** Replaces personal data and the names in a text. */
function redactText(text: string, names: Names): string {
  let redacted = text
    .replace(birthPattern, '$1[date of birth]')
    .replace(streetPattern, '[address]')
    .replace(ibanPattern, '[account]')
    .replace(email, '[email]')
    .replace(card, (it) => (isCard(it) ? '[card]' : it))
    .replace(phone, '[phone]')
  for (const name of names) redacted = redacted.replace(name, '[name]')
  return redacted
}

/** Collects the values of name fields, however deep. Function names are not names of people. */
function collectNames(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) collectNames(entry, found)
  if (!isObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') collectNames(inner, found)
    else if (nameField.test(key) && !isIdentifier(key))
      for (const name of [inner.trim(), ...inner.split(/\s+/)]) if (name.length > 1) found.add(name)
  }
}

function redactDeep(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return redactText(value, names)
  if (Array.isArray(value)) return value.map((it) => redactDeep(it, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isIdentifier(key) ? inner : redactDeep(inner, names)]),
  )
}

/** Fields of a conversation in which the names of people are. */
interface Named {
  readonly variables?: unknown
  readonly customer?: unknown
  readonly history: readonly {
    readonly role?: string
    readonly content?: unknown
    readonly function_calls?: readonly { readonly arguments?: unknown }[] | undefined
  }[]
}

/**
 * Masks personal data of a conversation: email addresses, phone numbers, postal addresses, accounts, payment cards, dates of
 * birth, and the names in its variables, its customer, the arguments of functions and after words such as "my name is",
 * wherever they occur. Other names in the text cannot be recognized. Exports with --redact and judgements (judged-record.ts)
 * have the result: what is not recognized is written to them.
 */
export function redactPersonalData<T extends Named>(conversation: T): T {
  const found = new Set<string>()
  collectNames(conversation.variables, found)
  collectNames(conversation.customer, found)
  for (const { function_calls: calls = [] } of conversation.history)
    for (const call of calls) collectNames(call.arguments, found)
  for (const { role, content } of conversation.history)
    if (role === 'user' && typeof content === 'string')
      for (const name of statedNamesIn(content)) collectNames({ name }, found)
  // Longer names first, so that a full name becomes one mask.
  const names = [...found]
    .sort((a, b) => b.length - a.length)
    .map(
      (it) => new RegExp(`(?<![\\p{L}\\p{N}])${it.replace(/[$()*+.?[\\\]^{|}-]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
    )
  return redactDeep(conversation, names) as T
}

/** The flag that masks personal data. */
export const redactFlag = {
  flags: '--redact',
  describe:
    'Mask personal data: phone numbers, addresses, accounts, and names from variables, customers and introductions',
} as const
