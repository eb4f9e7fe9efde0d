import { afterAll, describe, expect, test } from 'vitest'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

const now = Date.UTC(2031, 6, 4, 22, 30, 5)
const outputOf = async (expression: string): Promise<unknown> =>
  (await sandbox.run(`export const code = async () => (${expression})`, {}, { now })).output

/** What Node gives for the same expression, in English and UTC where the code names no language or time zone. */
const date = 'new Date(Date.UTC(2031, 6, 4, 22, 30, 5))'
describe('language and time zones in code are those of Node', () => {
  test.each([
    `new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234567.891)`,
    `Intl.NumberFormat('en-IN').format(1234567)`,
    `[1, 2.5, -0, NaN, Infinity].map(new Intl.NumberFormat('fr').format)`,
    `new Intl.NumberFormat('en-US').format(9007199254740993n)`,
    `new Intl.NumberFormat('en', { notation: 'compact' }).formatToParts(123456)`,
    `new Intl.NumberFormat('en', { style: 'unit', unit: 'liter' }).formatRange(3, 5)`,
    `new Intl.DateTimeFormat('de-DE', { dateStyle: 'full', timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(${date})`,
    `new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', hour: '2-digit', timeZoneName: 'short' }).formatToParts(${date})`,
    `new Intl.DateTimeFormat('ja-JP-u-ca-japanese', { timeZone: 'Asia/Tokyo' }).format(${date}.getTime())`,
    `new Intl.DateTimeFormat('en-US', { timeZone: 'UTC' }).formatRange(${date}, new Date(Date.UTC(2031, 6, 9)))`,
    `new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Kolkata' }).resolvedOptions().timeZone`,
    `${date}.toLocaleString('de-DE', { timeZone: 'Europe/Berlin' })`,
    `${date}.toLocaleDateString('en-GB', { timeZone: 'Pacific/Auckland', weekday: 'long' })`,
    `${date}.toLocaleTimeString('en-US', { timeZone: 'Asia/Kolkata', hour12: false })`,
    `(1234.5).toLocaleString('de-CH')`,
    `12345678901234567890n.toLocaleString('de-DE')`,
    `new Intl.PluralRules('ar').select(6)`,
    `new Intl.PluralRules('en', { type: 'ordinal' }).select(22)`,
    `new Intl.RelativeTimeFormat('es', { numeric: 'auto' }).format(-1, 'day')`,
    `new Intl.ListFormat('en', { type: 'disjunction' }).format(['a', 'b', 'c'])`,
    `['z', 'ä', 'a'].sort(new Intl.Collator('sv').compare)`,
    `'a'.localeCompare('B', 'en', { sensitivity: 'base' })`,
    `'i'.toLocaleUpperCase('tr')`,
    `new Intl.DisplayNames('fr', { type: 'region' }).of('DE')`,
    `[...new Intl.Segmenter('en', { granularity: 'word' }).segment('Hello you')].map((it) => it.segment)`,
    `new Intl.Locale('zh-Hans-CN').maximize().toString()`,
    `new Intl.Locale('de-AT').region`,
    `Intl.getCanonicalLocales('EN-us')`,
    `Intl.supportedValuesOf('timeZone').includes('Europe/Berlin')`,
    `Intl.NumberFormat.supportedLocalesOf(['de', 'xx'])`,
    `String(Intl.NumberFormat('en')) + typeof Intl.NumberFormat('en').format`,
    `[1234.5, ${date}, null].toLocaleString('de-DE', { timeZone: 'UTC' })`,
    `[[1234.5], [2]].toLocaleString('de')`,
    `new Float64Array([1234.5]).toLocaleString('de')`,
    `new Intl.Segmenter('en').segment('hé').containing(1)`,
    `new Intl.NumberFormat(5).format(1.5)`,
    `new (class Own extends Intl.NumberFormat {})('de').format(1.5)`,
    `new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', currencySign: 'accounting' }).format(-5)`,
    `new Intl.NumberFormat('de', { style: 'percent', maximumFractionDigits: 1 }).format(0.256)`,
    `new Intl.NumberFormat('en', { notation: 'compact', compactDisplay: 'long' }).format(1234567)`,
    `new Intl.RelativeTimeFormat('de', { style: 'short' }).formatToParts(2, 'hour')`,
    `new Intl.PluralRules('en').resolvedOptions().pluralCategories`,
  ])('%s', async (expression) => {
    const expected: unknown = new Function(`return (${expression})`)()
    expect(await outputOf(expression)).toEqual(JSON.parse(JSON.stringify(expected)))
  })

  test.each<[expression: string, expected: unknown]>([
    [`new Intl.DateTimeFormat().resolvedOptions().timeZone`, 'UTC'],
    [`new Intl.NumberFormat().resolvedOptions().locale`, 'en-US'],
    [
      `new Intl.DateTimeFormat('en-US', { timeZone: undefined, hour: 'numeric', minute: 'numeric' }).format()`,
      '10:30 PM',
    ],
    [`new Date().toLocaleDateString()`, '7/4/2031'],
    [`new Date().toLocaleTimeString('de')`, '22:30:05'],
    [`(1234.5).toLocaleString()`, '1,234.5'],
    [`new Date(NaN).toLocaleString()`, 'Invalid Date'],
    [`new Intl.NumberFormat('en') instanceof Intl.NumberFormat`, true],
  ])('%s does not depend on the machine: %j', async (expression, expected) => {
    expect(await outputOf(expression)).toEqual(expected)
  })

  test.each([
    [`new Intl.DateTimeFormat('en', { timeZone: 'Mars/Base' })`, 'RangeError: Invalid time zone specified: Mars/Base'],
    [`new Intl.NumberFormat('en', { style: 'currency' })`, 'TypeError: Currency code is required with currency style.'],
    [`new Intl.NumberFormat('not a locale!')`, 'RangeError: Incorrect locale information provided'],
    [`new Intl.DateTimeFormat('en').format(new Date(NaN))`, 'RangeError: Invalid time value'],
    [`new Intl.DurationFormat('en')`, 'TypeError: Intl.DurationFormat is not a constructor'],
  ])('%s fails with %s', async (expression, message) => {
    await expect(outputOf(expression)).rejects.toThrow(message)
  })

  test('are available in expressions too', async () => {
    expect(await sandbox.evaluate(["(n).toLocaleString('de-DE')"], { n: 1234.5 })).toEqual([{ value: '1.234,5' }])
  })
})

describe('errors of language and time zones are those of Node', () => {
  test.each([
    `new Intl.DateTimeFormat('en', { timeZone: 'X/Y' })`,
    `new Intl.DateTimeFormat('xx-invalid-locale-zzzzzzzzzz')`,
    `new Intl.DateTimeFormat('en', { dateStyle: 'short', hour: 'numeric' })`,
    `new Intl.DateTimeFormat('en').format(new Date(NaN))`,
    `new Intl.DateTimeFormat('en', null)`,
    `new Intl.NumberFormat('en', { style: 'currency' })`,
    `new Intl.NumberFormat('en', { style: 'currency', currency: 'US' })`,
    `new Intl.NumberFormat('en', { style: 'unit', unit: 'foo' })`,
    `new Intl.NumberFormat('en', { maximumFractionDigits: 200 })`,
    `new Intl.NumberFormat(null)`,
    `new Intl.NumberFormat('en').format(Symbol())`,
    `Intl.PluralRules('en')`,
    `new Intl.RelativeTimeFormat('en').format(1, 'x')`,
    `new Intl.ListFormat('en').format([1, 2])`,
    `${date}.toLocaleString('en', { timeZone: 'Mars' })`,
    `(5).toLocaleString('en', { style: 'currency' })`,
    `'x'.toLocaleUpperCase('bad_locale')`,
    `new Intl.DisplayNames('en', { type: 'region' }).of('x')`,
    `Intl.supportedValuesOf('foo')`,
  ])('%s', async (expression) => {
    const expected = (() => {
      try {
        return new Function(`return (${expression})`)()
      } catch (error) {
        return `${(error as Error).name}: ${(error as Error).message}`
      }
    })()
    const failure = await sandbox.run(`export const code = () => (${expression})`, {}).catch((error: Error) => error)
    expect((failure as Error).message.replace(/ \(line \d+\)$/, '')).toBe(expected)
  })
})
