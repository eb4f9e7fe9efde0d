import { describe, expect, test } from 'vitest'
import {
  createMapping,
  parseMaps,
  type RowFields,
  variableName,
} from '../../../../src/cli/features/bulk/rows/column-mapping.ts'
import { createPhoneIndex } from '../../../../src/cli/features/bulk/rows/phone-index.ts'
import { createCsvReader, separatorOf } from '../../../../src/cli/features/bulk/rows/read-rows.ts'
import { formatCsvLine } from '../../../../src/node/format-csv.ts'
import { caseCount } from '../../../support/case-count.ts'

const read = async (text: string, separator = ',', piece = text.length): Promise<string[][]> => {
  const reader = await createCsvReader(separator)
  const rows = []
  for (let at = 0; at < text.length; at += piece) rows.push(...reader.push(text.slice(at, at + piece)))
  return [...rows, ...reader.end()].map((it) => [...it.cells])
}

describe('CSV', () => {
  test.each([
    [
      'quotes, a separator and a line end in a cell',
      'a,b\n"x, ""y""","two\nlines"\n',
      [
        ['a', 'b'],
        ['x, "y"', 'two\nlines'],
      ],
    ],
    [
      'line ends of Windows',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'line ends of old programs',
      'a,b\r1,2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a last line without its end', 'a\n1', [['a'], ['1']]],
    ['blank lines', 'a\n\n\n1\n\n', [['a'], ['1']]],
    [
      'empty cells',
      'a,b,c\n1,,\n',
      [
        ['a', 'b', 'c'],
        ['1', '', ''],
      ],
    ],
    ['a quoted cell at the very end', 'a\n"1"', [['a'], ['1']]],
    ['a plus sign and zeros in front', 'n\n+14155550111\n0044\n', [['n'], ['+14155550111'], ['0044']]],
  ])('%s are read, however the input is split into chunks', async (_, text, rows) => {
    for (let piece = 1; piece <= text.length; piece++)
      expect(await read(text, ',', piece), `pieces of ${piece}`).toEqual(rows)
  })

  test.each([
    ['phone;name\n1;2', ';'],
    ['phone\tname, first\n', '\t'],
    ['"a;b;c",d\n', ','],
    ['phone\n', ','],
  ])('the separator of %j is detected', (text, separator) => {
    expect(separatorOf(text)).toBe(separator)
  })

  test('a row has the number of its first line, also below cells with several lines', async () => {
    const reader = await createCsvReader(',')
    expect(reader.push('a\n"x\ny"\n\nz\n').map((it) => it.line)).toEqual([1, 2, 5])
  })

  test('lines are counted the same, however the input is split into chunks', async () => {
    const text = 'a\r\n\r\n"x\r\ny"\r\rz\n'
    for (let piece = 1; piece <= text.length; piece++) {
      const reader = await createCsvReader(',')
      const rows = []
      for (let at = 0; at < text.length; at += piece) rows.push(...reader.push(text.slice(at, at + piece)))
      expect([...rows, ...reader.end()].map((it) => it.line)).toEqual([1, 3, 6])
    }
  })

  test('an unclosed quote is reported and does not swallow the file', async () => {
    const reader = await createCsvReader(',')
    const rows = [...reader.push(`a\n"never\n${`${'1'.repeat(99)}\n`.repeat(12_000)}`), ...reader.end()]
    expect(rows[1]).toMatchObject({ line: 2, broken: 'Unclosed quote.' })
    expect(rows).toHaveLength(12_002)
    expect((await createCsvReader(',')).end()).toEqual([])
  })

  test('written rows are read back unchanged', async () => {
    const cells = ['a;b', ' x', 'say "hi"', 'two\nlines', '', '+1']
    expect(await read(formatCsvLine(cells, ';'), ';')).toEqual([cells])
  })
})

const fields: RowFields = {
  known: { phone_number: ['phone', 'mobile'], variables: [] },
  required: ['phone_number'],
  variables: 'any',
  ignored: ['campaign_id'],
}
const places = (columns: readonly string[], map: readonly string[] = [], given = fields) =>
  createMapping(given, parseMaps(map, given))
    .targetsOf(columns)
    .map((it) => (it.to === 'nowhere' ? '-' : `${it.to} ${it.name}`))

describe('columns', () => {
  test.each(['phone_number', 'Phone Number', 'PHONE-NUMBER', 'phoneNumber', 'Phone', ' mobile'])(
    '"%s" is the number',
    (column) => {
      expect(places([column])).toEqual(['field phone_number'])
    },
  )

  test('other columns are variables of the same name, with words joined', () => {
    expect(places(['phone', 'First name', 'firstName', 'variables.city', 'Straße'])).toEqual([
      'field phone_number',
      'variable first_name',
      'variable firstName',
      'variable city',
      'variable Straße',
    ])
    expect(variableName('Due  date-time')).toBe('due_date_time')
  })

  test('an exact name takes precedence over a similar one', () => {
    expect(places(['phone', 'phone_number'])).toEqual(['variable phone', 'field phone_number'])
  })

  test('two similar names are ambiguous', () => {
    expect(() => places(['phone', 'mobile'])).toThrow('Several columns match phone_number: "phone", "mobile".')
    expect(places(['phone', 'mobile'], ['phone_number=mobile'])).toEqual(['variable phone', 'field phone_number'])
  })

  test('earlier errors, columns without a name and ignored columns are not sent', () => {
    expect(places(['phone', 'parley_error', '', 'campaign_id', 'notes'], ['nothing=notes'])).toEqual([
      'field phone_number',
      '-',
      '-',
      '-',
      '-',
    ])
  })

  test('placeholders are matched by name, by number and loosely, and nothing else is sent', () => {
    const given: RowFields = { ...fields, variables: ['first_name', 'day'], aliases: { 1: 'first_name', 2: 'day' } }
    expect(places(['phone', 'First Name', '2', 'notes'], [], given)).toEqual([
      'field phone_number',
      'variable first_name',
      'variable day',
      '-',
    ])
    expect(createMapping(given, new Map()).missing(['phone', 'day'])).toEqual(['first_name'])
    expect(createMapping({ ...given, preset: new Set(['first_name']) }, new Map()).missing(['phone', 'day'])).toEqual(
      [],
    )
  })

  test.each([
    ['phone_number', 'Invalid --map "phone_number". Use field=column.'],
    ['frist_name=Name', 'unknown field "frist_name". Did you mean first_name?'],
  ])('--map %s is refused', (map, text) => {
    expect(() => parseMaps([map], { ...fields, variables: ['first_name'] })).toThrow(text)
  })
})

test('duplicate numbers are found among many rows', () => {
  const count = caseCount(100_000, 10_000)
  const numbers = createPhoneIndex()
  for (let n = 0; n < count; n++) expect(numbers.add(`+1415${5_000_000 + n}`, n + 2)).toBeUndefined()
  expect(numbers.add(undefined, count + 2)).toBeUndefined()
  expect(numbers.add('+14155000007', count + 3)).toBe(7)
  expect([
    numbers.firstRowWith(count + 1),
    numbers.lineOf(7),
    numbers.numberOf(count - 1),
    numbers.numberOf(count),
  ]).toEqual([7, 9, `+1415${5_000_000 + count - 1}`, undefined])
  expect([numbers.rows, numbers.distinct]).toEqual([count + 2, count])
})
