import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NumberOutOfRange, parseJson, stringifyJson } from '../../src/node/json.ts'
import { caseCount } from '../support/case-count.ts'

/** A JSON text with numbers of any size, written as `JSON.stringify` writes, but with all digits. */
const documents = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
    fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((it) => JSON.stringify(it)),
    fc.string({ unit: 'binary' }).map((it) => JSON.stringify(it)),
    fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.constantFrom('', '"', '\\', '\\"', ': '))
      .map(([digits, more]) => JSON.stringify(`${more}${digits}${more}`)),
    fc.array(tie('value'), { maxLength: 5 }).map((it) => `[${it.join(',')}]`),
    fc
      .uniqueArray(
        fc.tuple(
          fc.string().filter((it) => !/^\d+$/.test(it)),
          tie('value'),
        ),
        {
          maxLength: 5,
          selector: ([name]) => name,
        },
      )
      .map((it) => `{${it.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
})).value

describe('JSON', () => {
  test('keeps the digits of every integer', () => {
    for (const text of [
      '9007199254740993',
      '-9007199254740993',
      '12345678901234567890',
      `[${'7'.repeat(1000)}]`,
      '9'.repeat(400),
    ])
      expect(stringifyJson(parseJson(text))).toBe(text)
    expect(parseJson('{"id":7615917337495251231}')).toEqual({ id: 7615917337495251231n })
  })

  test('has a number wherever a number prints the same digits', () => {
    for (const text of ['9007199254740991', '9007199254740992', '12345678901234567000', '100000000000000000000'])
      expect(typeof parseJson(text)).toBe('number')
  })

  test('does not change digits in texts, whatever they look like', () => {
    const values = [
      '12345678901234567890',
      '"12345678901234567890',
      '\\12345678901234567890\\',
      '12345678901234567890:',
    ]
    for (const value of values)
      expect(parseJson(JSON.stringify({ [value]: value, n: [value] }))).toEqual({ [value]: value, n: [value] })
  })

  test('of any kind is written as it was read', () => {
    fc.assert(
      fc.property(documents, (text) => {
        expect(stringifyJson(parseJson(text))).toBe(text)
      }),
      { numRuns: caseCount(2000, 200) },
    )
  })

  test('reads other numbers as JavaScript does: as doubles, without trailing zeros', () => {
    expect(stringifyJson(parseJson('[1.10,-0,0.1234567890123456789,12345678901234567890.5,1e21,2E+2]'))).toBe(
      '[1.1,0,0.12345678901234568,12345678901234567000,1e+21,200]',
    )
  })

  test.each(['1e400', '-1e400', '[1E+999999999]', `{"a":${'1'.repeat(1001)}}`])(
    'with a number out of range is refused: %.20s',
    (text) => {
      expect(() => parseJson(text)).toThrow(NumberOutOfRange)
    },
  )

  test.each([
    '012345678901234567890',
    '12345678901234567890abc',
    '--12345678901234567890',
    '{"a":12345678901234567890',
    '{a:12345678901234567890}',
    '12345678901234567890 "',
    '1234567890123456789+1',
    '{12345678901234567890:1}',
  ])('that is invalid fails as in JavaScript: %s', (text) => {
    let message = ''
    try {
      JSON.parse(text)
    } catch (error) {
      message = (error as Error).message
    }
    expect(() => parseJson(text)).toThrow(new SyntaxError(message))
  })

  test('is read after a byte order mark', () => {
    expect(parseJson('\uFEFF{"a":9007199254740993}')).toEqual({ a: 9007199254740993n })
  })

  test('that is nested deeply needs no stack', () => {
    const depth = 5000
    const text = `${'['.repeat(depth)}9007199254740993${']'.repeat(depth)}`
    expect(() => parseJson(text)).not.toThrow()
  })

  test('is written with a function and an indent', () => {
    const value = { b: 9007199254740993n, a: [1n, undefined] }
    expect(stringifyJson(value, (_, it) => (it === 1n ? 'one' : it), 2)).toBe(
      JSON.stringify({ b: 0, a: ['one', undefined] }, null, 2).replace('0', '9007199254740993'),
    )
    expect(stringifyJson(undefined)).toBe(undefined)
    const circle: Record<string, unknown> = {}
    circle.self = circle
    expect(() => stringifyJson(circle)).toThrow(/circular/)
  })

  test('keeps a field named __proto__', () => {
    const text = '{"__proto__":9007199254740993}'
    expect(stringifyJson(parseJson(text))).toBe(text)
  })
})
