import { isObject } from '../../contract/values/json-object.ts'
import { formatCsvLine } from '../../node/format-csv.ts'
import { parseJson } from '../../node/json.ts'
import { parseCsv } from '../../node/parse-csv.ts'
import { anyText, anything, choice, fields, flag, text } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'

const delimiterType = choice(['auto', ',', '\t'], 'auto')

/** Returns the delimiter; `auto` is the tab if the first line has more tabs than commas. */
function findDelimiter(type: string, csv: string): string {
  if (type !== 'auto') return type
  const [line = ''] = csv.trimStart().split(/[\r\n]/, 1)
  return line.split('\t').length > line.split(',').length ? '\t' : ','
}

const isFilled = (cells: readonly string[]): boolean => cells.length > 1 || cells[0] !== ''

/** Parses CSV to lists of cells without empty lines. @throws StepFailure */
function parseRows(csv: string, delimiter: string): string[][] {
  const { rows, rest } = parseCsv(csv, delimiter)
  if (rest !== '') throw new StepFailure('csv_text has a quote that is never closed.')
  return rows.filter(isFilled)
}

/** Returns the list in a field, which may be JSON as text. @throws StepFailure */
function parseList(value: unknown): unknown[] {
  let list = value
  try {
    if (typeof value === 'string') list = parseJson(value)
  } catch (error) {
    throw new StepFailure(`csv_object is not valid JSON: ${(error as Error).message}`)
  }
  const isList = Array.isArray(list) && (list.every((it) => Array.isArray(it)) || list.every((it) => isObject(it)))
  if (!isList) throw new StepFailure('csv_object must be a list of objects, or a list of lists.')
  return list as unknown[]
}

const toCell = (value: unknown): string => anyText.parse(value)

/** Converts between CSV and JSON. */
export const csv: Piece = {
  names: ['csv'],
  triggers: {},
  actions: {
    convert_csv_to_json: action({
      title: 'Convert CSV to JSON',
      isInternal: true,
      input: fields({ csv_text: text, has_headers: flag, delimiter_type: delimiterType }),
      run: async ({ csv_text: given, has_headers: hasHeaders, delimiter_type: type }) => {
        const rows = parseRows(given, findDelimiter(type, given))
        if (!hasHeaders) return done(rows)
        const [names = [], ...records] = rows
        return done(
          records.map((cells) => Object.fromEntries(names.slice(0, cells.length).map((name, i) => [name, cells[i]]))),
        )
      },
    }),
    convert_json_to_csv: action({
      title: 'Convert JSON to CSV',
      isInternal: true,
      input: fields({ csv_object: anything, has_headers: flag, delimiter_type: delimiterType }),
      run: async ({ csv_object: given, has_headers: hasHeaders, delimiter_type: type }) => {
        const list = parseList(given)
        const names = [...new Set(list.flatMap((it) => (isObject(it) ? Object.keys(it) : [])))]
        const rows = list.map((it) =>
          (Array.isArray(it) ? it : names.map((name) => (it as Record<string, unknown>)[name])).map(toCell),
        )
        const lines = (hasHeaders && names.length > 0 ? [names, ...rows] : rows).filter(isFilled)
        return done(lines.map((it) => formatCsvLine(it, type === 'auto' ? ',' : type).slice(0, -1)).join('\r\n'))
      },
    }),
  },
}
