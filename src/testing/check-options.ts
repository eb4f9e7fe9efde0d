import { stringifyJson } from '../node/json.ts'
import type { StartOptions } from '../platform.ts'

type Check = (value: unknown) => boolean

const isText: Check = (it) => typeof it === 'string' && it !== ''
const isBoolean: Check = (it) => typeof it === 'boolean'
const isObject = (it: unknown): it is object => typeof it === 'object' && it !== null && !Array.isArray(it)
const integer =
  (min: number, max: number): Check =>
  (it) =>
    Number.isInteger(it) && (it as number) >= min && (it as number) <= max

/** Checks an object with these properties only, each of them optional unless `required`. */
const fields =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (it) =>
    isObject(it) &&
    required.every((name) => name in it) &&
    Object.entries(it).every(([name, value]) => value === undefined || checks[name]?.(value) === true)

const vocabularyParts = ['paths', 'keys', 'values', 'prefixes'] as const
const isVocabulary = fields(Object.fromEntries(vocabularyParts.map((it) => [it, isObject])), vocabularyParts)
const positive = integer(1, Number.MAX_SAFE_INTEGER)

/** The options of `startPlatform`: what a value must be, for messages, and how it is checked. */
const options: Readonly<Record<keyof StartOptions, readonly [expected: string, check: Check]>> = {
  port: ['a port number from 0 to 65535', integer(0, 65_535)],
  dataDir: ['a path', isText],
  database: ['a URL such as postgres://user@host/name', isText],
  secretKey: ['64 hexadecimal digits', (it) => typeof it === 'string' && /^[0-9a-f]{64}$/i.test(it)],
  seed: ['an integer from 0 to 2147483648', integer(0, 2 ** 31)],
  data: ['an object { version, accounts } or the path of a YAML or JSON file', (it) => isText(it) || isObject(it)],
  publicUrl: [
    'an http or https URL',
    (it) => typeof it === 'string' && /^https?:\/\/[^\s?#]+$/i.test(it) && URL.canParse(it),
  ],
  clock: ['a time such as "2027-03-01T09:00:00Z"', (it) => isText(it) && !Number.isNaN(Date.parse(String(it)))],
  faults: ['a list of fault rules', (it) => Array.isArray(it) && it.every(isObject)],
  privateAddresses: ['true or false', isBoolean],
  empty: ['true or false', isBoolean],
  limit: [
    'an object { name, max, seconds }',
    fields({ name: isText, max: positive, seconds: positive }, ['name', 'max', 'seconds']),
  ],
  vocabulary: ['"public", or an object { paths, keys, values, prefixes }', (it) => it === 'public' || isVocabulary(it)],
  reader: ['"local" or "http"', (it) => it === 'local' || it === 'http'],
  language: [
    'an object { url, key, model } or { script }',
    fields({ url: isText, key: isText, model: isText, script: isText }),
  ],
}

/** Checks the options of `startPlatform`. @throws TypeError that names an unknown or invalid option */
export function checkOptions(given: StartOptions): void {
  if (!isObject(given))
    throw new TypeError(`The options of startPlatform must be an object, not ${stringifyJson(given)}.`)
  for (const [name, value] of Object.entries(given)) {
    const known = Object.hasOwn(options, name) ? options[name as keyof StartOptions] : undefined
    if (!known)
      throw new TypeError(`startPlatform has no option "${name}". Its options are ${Object.keys(options).join(', ')}.`)
    const [expected, check] = known
    if (value !== undefined && !check(value))
      throw new TypeError(`The option "${name}" of startPlatform must be ${expected}, not ${stringifyJson(value)}.`)
  }
  if (given.empty === true && given.data !== undefined)
    throw new TypeError('The options "empty" and "data" of startPlatform cannot be combined.')
}
