import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

function withFile(text: string): Operator {
  const by = operator()
  writeFileSync(join(by.cwd, 'leads.csv'), text)
  return by
}

const importing = 'leads import --campaign 1 --file leads.csv'
type Lead = { phone_number: string; variables: Record<string, unknown> }

async function imported(text: string, count: number): Promise<[string, Record<string, unknown>][]> {
  const by = withFile(text)
  const { exitCode, stderr } = await by.run(`${importing} --yes`)
  expect(exitCode, stderr).toBe(0)
  const leads = await by.json<Lead[]>(`leads list --limit ${count}`)
  return leads.map(({ phone_number, variables }) => [phone_number, variables])
}

describe('a file of a spreadsheet', () => {
  test.each([
    ['commas', 'Phone,first_name\r\n+14155550161,Ana\r\n,\r\n,\r\n'],
    ['semicolons and spaces', 'Phone;first_name\n+14155550161;Ana\n ; \n;;;;\n'],
    ['quotes', 'Phone,first_name\n"",""\n+14155550161,Ana\n"",""\n'],
    ['separators above the header', ',\n,\nPhone,first_name\n+14155550161,Ana\n'],
  ])('may have rows that hold only %s', async (_, text) => {
    expect(await imported(text, 1)).toEqual([['+14155550161', { first_name: 'Ana' }]])
  })

  test.each([
    ['sep=;\r\n', ';'],
    ['SEP=,\n', ','],
    ['\ufeffsep=\t\r\n', '\t'],
    ['"sep=|"\n', '|'],
    ['sep=\\t\n', '\t'],
    ['sep=;\r', ';'],
  ])('may name its separator in the first line: %j', async (first, separator) => {
    const text = `${first}${['Phone,first_name', '+14155550161,Ana'].join('\n').replaceAll(',', separator)}\n`
    expect(await imported(text, 1)).toEqual([['+14155550161', { first_name: 'Ana' }]])
  })

  test('may have invisible characters, other dashes and other digits in its numbers', async () => {
    const numbers = [
      '\u202a+14155550161\u202c',
      '+1\u00a0415\u00a0555\u20110162',
      '\u200e+14155550163\u200b',
      '＋１４１５５５５０１６４',
    ]
    expect((await imported(`Phone\n${numbers.join('\n')}\n`, 4)).map(([number]) => number).sort()).toEqual(
      ['1', '2', '3', '4'].map((it) => `+1415555016${it}`),
    )
  })

  test('with another character in a number is refused with its code point', async () => {
    const { exitCode, stderr } = await withFile('Phone\n+1415555\u00b70161\n').run(importing)
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('Invalid phone number "+1415555<U+00B7>0161".')
  })

  test('with numbers of Mexico as they were until 2019 is refused with the number of today', async () => {
    const { exitCode, stderr } = await withFile('Phone\n+5215512345678\n+52 1 55 1234 5679\n').run(importing)
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('mobile numbers of Mexico have no 1 after +52. Did you mean +525512345678?')
    expect(stderr).toContain('Did you mean +525512345679?')
  })

  test('may have columns named as members of objects', async () => {
    const text = 'Phone,constructor,toString,hasOwnProperty,valueOf\n+14155550161,a,b,c,d\n'
    const variables = { constructor: 'a', toString: 'b', hasOwnProperty: 'c', valueOf: 'd' }
    expect(await imported(text, 1)).toEqual([['+14155550161', variables]])
  })

  test('with a column that JSON cannot have is refused before anything is sent', async () => {
    const { exitCode, stderr, requests } = await withFile('Phone,__proto__\n+14155550161,a\n').run(importing)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Column "__proto__" cannot be a variable')
    expect(requests.filter((it) => it.startsWith('POST'))).toEqual([])
    expect(
      (await withFile('Phone,__proto__\n+14155550161,a\n').run(`${importing} --map nothing=__proto__`)).exitCode,
    ).toBe(0)
  })
})
