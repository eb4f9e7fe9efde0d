import { expect, test } from 'vitest'
import { piece } from '../../support/automation-nodes.ts'
import { outputOf } from './fake-ports.ts'

const run = (action: string, input: object): Promise<unknown> =>
  outputOf(piece('@activepieces/piece-csv', action, input))

test.each<[string, object, unknown]>([
  ['convert_csv_to_json', { csv_text: 'a,b\n\n1,"2,3"\n', has_headers: true }, [{ a: '1', b: '2,3' }]],
  [
    'convert_csv_to_json',
    { csv_text: 'a\tb\r\n1,5\t2', delimiter_type: 'auto' },
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  // A line is empty only without any cell.
  ['convert_csv_to_json', { csv_text: 'a\n\n1\n', has_headers: true }, [{ a: '1' }]],
  ['convert_csv_to_json', { csv_text: 'a,b\n,2', has_headers: true }, [{ a: '', b: '2' }]],
  ['convert_json_to_csv', { csv_object: [{ a: 1 }, { a: 'x,y', b: null }], has_headers: true }, 'a,b\r\n1,\r\n"x,y",'],
  ['convert_json_to_csv', { csv_object: '[["a","b"]]', delimiter_type: '\t' }, 'a\tb'],
])('csv %s of %j is %j', async (action, input, expected) => {
  expect(await run(action, input)).toEqual(expected)
})

test.each<[string, object, string]>([
  ['convert_csv_to_json', {}, 'csv_text is required.'],
  ['convert_csv_to_json', { csv_text: 'a\n"b' }, 'csv_text has a quote that is never closed.'],
  ['convert_csv_to_json', { csv_text: 'a', delimiter_type: ';' }, 'delimiter_type'],
  ['convert_json_to_csv', { csv_object: { a: 1 } }, 'csv_object must be a list of objects, or a list of lists.'],
])('csv %s rejects %j', async (action, input, message) => {
  await expect(run(action, input)).rejects.toThrow(message)
})
