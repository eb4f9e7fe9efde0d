// Pieces that only compute: data mapper, JSON with jq, mathematics and cryptography. Definitions have the names of their actions
// and inputs, so those are added and not renamed. The same input gives the same output, or a retry would differ.

import * as z from '../../contract/schema/schema.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { crypto } from '../../node/crypto.ts'
import { type JqAnswer, type JqThread, startJq, summarizeJqProblem } from '../../node/jq-thread.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import type { JsonObject } from '../definition/node.ts'
import { anyText, choice, fields, fromJson, integer, number, text, wholeNumber } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'

/** A filter that takes longer is stopped. */
const queryTimeoutMs = 5000
/** Milliseconds for which a thread without work waits for the next step. */
const keepMs = 5000

let idle: { readonly thread: JqThread; readonly timer: NodeJS.Timeout } | undefined

function takeThread(): Promise<JqThread> | JqThread {
  const thread = idle?.thread
  realTime.clearTimeout(idle?.timer)
  idle = undefined
  return thread ?? startJq()
}

function keepThread(thread: JqThread): void {
  if (idle) return thread.stop()
  const timer = realTime.setTimeout(() => {
    idle = undefined
    thread.stop()
  }, keepMs)
  timer.unref()
  idle = { thread, timer }
}

/**
 * Returns the result of a jq filter: null for none, a list for several.
 * @throws StepFailure for an invalid filter, and for one that takes longer than 5 s
 */
async function queryJson(json: unknown, query: string): Promise<unknown> {
  const thread = await takeThread()
  let isStopped = false
  const timer = realTime.setTimeout(() => {
    isStopped = true
    thread.stop()
  }, queryTimeoutMs)
  let answer: JqAnswer
  try {
    answer = await thread.run(stringifyJson(json), query, ['-c'])
  } finally {
    realTime.clearTimeout(timer)
  }
  if (isStopped) throw new StepFailure(`query took longer than ${queryTimeoutMs / 1000} s. Use a simpler jq filter.`)
  const { text = '', problem } = answer
  // A thread that ran out of memory is not used again.
  if (problem?.startsWith('Aborted')) thread.stop()
  else keepThread(thread)
  if (problem !== undefined) throw new StepFailure(`query failed in jq: ${summarizeJqProblem(problem)}.`)
  const results = text.split('\n').filter((line) => line !== '')
  const values = results.map((line): unknown => parseJson(line))
  return values.length > 1 ? values : (values[0] ?? null)
}

/** How values of one field are merged. */
const mergeStrategies = ['first', 'last', 'most_frequent', 'min', 'max', 'concat'] as const
type MergeStrategy = (typeof mergeStrategies)[number]

/** Text that is the same for equal values, whatever the order of their fields. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object' || value === null) return stringifyJson(value) ?? 'null'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, child]) => `${stringifyJson(name)}:${canonicalText(child)}`).join(',')}}`
}

const isNumeric = (it: unknown): it is number | bigint => typeof it === 'number' || typeof it === 'bigint'

/** Compares numbers by size, and other values by their text. */
function isLess(a: unknown, b: unknown): boolean {
  if (isNumeric(a) && isNumeric(b)) return a < b
  const [left, right] = [a, b].map((it) => (typeof it === 'string' ? it : canonicalText(it))) as [string, string]
  return left < right
}

/** Returns the value that occurs most often, and of several the one that came first. */
function frequentValue(values: readonly unknown[]): unknown {
  const counts = new Map<string, { count: number; readonly value: unknown }>()
  for (const value of values) {
    const key = canonicalText(value)
    const known = counts.get(key)
    if (known) known.count += 1
    else counts.set(key, { count: 1, value })
  }
  return [...counts.values()].reduce((best, it) => (it.count > best.count ? it : best)).value
}

const merge: Readonly<Record<MergeStrategy, (values: readonly unknown[]) => unknown>> = {
  first: (values) => values[0],
  last: (values) => values.at(-1),
  most_frequent: frequentValue,
  min: (values) => values.reduce((smallest, it) => (isLess(it, smallest) ? it : smallest)),
  max: (values) => values.reduce((largest, it) => (isLess(largest, it) ? it : largest)),
  concat: (values) => values.flat(),
}

/** Merges objects field by field. */
function mergeObjects(
  objects: readonly Readonly<Record<string, unknown>>[],
  strategyOf: (field: string) => MergeStrategy,
): Record<string, unknown> {
  const names = [...new Set(objects.flatMap((it) => Object.keys(it)))]
  return Object.fromEntries(
    names.map((name) => {
      const values = objects.filter((it) => Object.hasOwn(it, name)).map((it) => it[name])
      return [name, merge[strategyOf(name)](values)]
    }),
  )
}

const required = z.unknown().refine((it) => it !== undefined && it !== null && it !== '', 'is required')

/** Parses JSON in a text. @throws StepFailure that names the field */
function parseText(value: string, field: string): unknown {
  try {
    return parseJson(value)
  } catch (error) {
    throw new StepFailure(`${field} is not valid JSON: ${(error as Error).message}`)
  }
}

/** Returns the value of a JSON field, which may be JSON as text. @throws StepFailure */
const jsonValue = (value: unknown, field: string): unknown =>
  typeof value === 'string' ? parseText(value, field) : value

/** Builds an object from expressions. */
export const dataMapper: Piece = {
  names: ['data-mapper'],
  triggers: {},
  actions: {
    advanced_mapping: action({
      title: 'Map data',
      example: { mapping: { name: '{{trigger.body.name}}', source: 'webhook' } },
      isInternal: true,
      input: fields({
        mapping: required.describe('Output of the step: an object with expressions, or its JSON as text'),
      }),
      run: async ({ mapping }) => done(jsonValue(mapping, 'mapping')),
    }),
    chunk_array: action({
      title: 'Split a list into smaller lists',
      example: { items: [1, 2, 3, 4, 5], mode: 'size', n: 2 },
      isInternal: true,
      input: fields({
        items: z.preprocess(fromJson, z.array(z.unknown())).describe('List to split, or its JSON as text'),
        mode: choice(['size', 'count'], 'size').describe('Whether n is the size of a list, or the number of lists'),
        n: wholeNumber(2, 1, 1_000_000).describe('Items in a list, or number of lists'),
      }),
      run: async ({ items, mode, n }) => {
        const size = mode === 'count' ? Math.max(1, Math.ceil(items.length / n)) : n
        const count = Math.ceil(items.length / size)
        return done(Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size)))
      },
    }),
  },
}

/** Converts between JSON and text. */
export const json: Piece = {
  names: ['json'],
  triggers: {},
  actions: {
    convert_json_to_text: action({
      title: 'Convert JSON to text',
      example: { json: { name: 'Ada' } },
      isInternal: true,
      input: fields({ json: required.describe('Value to convert, or its JSON as text') }),
      run: async (it) => done(stringifyJson(jsonValue(it.json, 'json'))),
    }),
    convert_text_to_json: action({
      title: 'Convert text to JSON',
      example: { text: '{"name": "Ada"}' },
      isInternal: true,
      input: fields({ text: required.describe('JSON as text') }),
      run: async (it) => done(parseText(typeof it.text === 'string' ? it.text : stringifyJson(it.text), 'text')),
    }),
    run_jq_query: action({
      title: 'Query JSON with jq',
      example: { json: { items: [{ price: 2 }, { price: 3 }] }, query: '[.items[].price] | add' },
      isInternal: true,
      input: fields({
        json: required.describe('Value to query, or its JSON as text'),
        query: text.describe('Query in the language of jq'),
      }),
      run: async (input) => {
        return done(await queryJson(jsonValue(input.json, 'json'), input.query))
      },
    }),
    merge_json: action({
      title: 'Merge objects',
      example: { jsonArray: [{ name: 'Ada' }, { city: 'Paris' }], defaultStrategy: 'last' },
      isInternal: true,
      input: fields({
        jsonArray: required.describe('List of objects to merge, or its JSON as text'),
        defaultStrategy: choice(mergeStrategies, 'last').describe('Which value of a field is used if several have it'),
        fieldStrategies: z
          .preprocess((it) => it ?? [], z.array(fields({ field: text, strategy: choice(mergeStrategies) })))
          .describe('Other strategies for single fields: objects with field and strategy'),
      }),
      run: async ({ jsonArray, defaultStrategy, fieldStrategies }) => {
        const objects = jsonValue(jsonArray, 'jsonArray')
        const given = Array.isArray(objects) ? objects.filter((it) => it !== null) : undefined
        if (!given?.every(isObject)) throw new StepFailure('jsonArray must be a list of objects.')
        const strategies = new Map(fieldStrategies.map((it) => [it.field, it.strategy]))
        return done(mergeObjects(given, (field) => strategies.get(field) ?? defaultStrategy))
      },
    }),
  },
}

const calculation = (title: string, example: JsonObject, calculate: (first: number, second: number) => number) =>
  action({
    title,
    example,
    isInternal: true,
    input: fields({
      first_number: number.describe('First number'),
      second_number: number.describe('Second number'),
    }),
    run: async ({ first_number: first, second_number: second }) => done(calculate(first, second)),
  })

/** Calculates with two numbers. */
export const mathHelper: Piece = {
  names: ['math-helper'],
  triggers: {},
  actions: {
    addition_math: calculation(
      'Add two numbers',
      { first_number: 2, second_number: 3 },
      (first, second) => first + second,
    ),
    // The public action subtracts the first number from the second.
    subtraction_math: calculation(
      'Subtract the first number from the second',
      { first_number: 2, second_number: 3 },
      (first, second) => second - first,
    ),
    multiplication_math: calculation(
      'Multiply two numbers',
      { first_number: 2, second_number: 3 },
      (first, second) => first * second,
    ),
    division_math: calculation(
      'Divide the first number by the second',
      { first_number: 6, second_number: 3 },
      (first, second) => {
        if (second === 0) throw new StepFailure('second_number must not be 0.')
        return first / second
      },
    ),
    modulo_math: calculation(
      'Remainder of a division',
      { first_number: 7, second_number: 3 },
      (first, second) => first % second,
    ),
    generateRandom_math: calculation(
      'Random whole number between two numbers',
      { first_number: 1, second_number: 6 },
      (first, second) => Math.floor(Math.random() * (second - first + 1) + first),
    ),
  },
}

const passwordCharacters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!@#$%^&*()-_=+'

/** Hashes and encodes texts. */
export const cryptoPiece: Piece = {
  names: ['crypto'],
  triggers: {},
  actions: {
    'hash-text': action({
      title: 'Hash a text',
      example: { method: 'sha256', text: 'hello' },
      isInternal: true,
      input: fields({
        method: choice(['md5', 'sha256', 'sha512', 'sha3-512']).describe('Hash function'),
        text: text.describe('Text to hash'),
      }),
      run: async ({ method, text: given }) => done(crypto().createHash(method).update(given).digest('hex')),
    }),
    'hmac-signature': action({
      title: 'Sign a text',
      example: { auth: 'secret', encoding: 'utf-8', method: 'sha256', text: '{{trigger.rawBody}}' },
      isInternal: true,
      input: fields({
        auth: text.describe('Secret key of the signature'),
        encoding: choice(['utf-8', 'hex', 'base64'], 'utf-8').describe('Encoding of the key'),
        method: choice(['md5', 'sha256', 'sha512']).describe('Hash function of the HMAC'),
        text: anyText.describe('Text to sign'),
      }),
      run: async ({ auth, encoding, method, text: given }) =>
        done(crypto().createHmac(method, Buffer.from(auth, encoding)).update(given).digest('hex')),
    }),
    'generate-password': action({
      title: 'Random password',
      example: { length: 20 },
      isInternal: true,
      input: fields({ length: integer(1, 256).describe('Number of characters') }),
      run: async ({ length }) =>
        done(Array.from({ length }, () => passwordCharacters[crypto().randomInt(passwordCharacters.length)]).join('')),
    }),
    'generate-uuid': action({
      title: 'Random UUID',
      example: {},
      isInternal: true,
      input: fields({}),
      run: async () => done({ uuid: crypto().randomUUID() }),
    }),
    'base64-encode': action({
      title: 'Encode a text as Base64',
      example: { text: 'hello' },
      isInternal: true,
      input: fields({ text: anyText.describe('Text to encode') }),
      run: async ({ text: given }) => done(Buffer.from(given).toString('base64')),
    }),
    'base64-decode': action({
      title: 'Decode Base64 to a text',
      example: { text: 'aGVsbG8=' },
      isInternal: true,
      input: fields({ text: text.describe('Base64 to decode') }),
      run: async ({ text: given }) => done(Buffer.from(given, 'base64').toString()),
    }),
  },
}
