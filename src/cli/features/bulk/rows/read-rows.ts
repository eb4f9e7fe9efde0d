import { isObject } from '../../../../contract/values/json-object.ts'
import { parseJson } from '../../../../node/json.ts'
import { parseCsv } from '../../../../node/parse-csv.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readYaml, yamlErrorMessage } from '../../../program/input/read-yaml.ts'
import { maxInputLength } from '../../../program/terminal/streams.ts'
import { textColumn } from './column-mapping.ts'
import type { rowFormats } from './row-flags.ts'
import type { RowSource } from './row-source.ts'

/** One row of a CSV text. */
interface CsvRow {
  /** The line on which it starts, from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** A sentence that describes a syntax error of the row. */
  readonly broken?: string
}

interface CsvReader {
  /** Returns the rows completed so far. */
  push(text: string): CsvRow[]
  /** Returns the last row. */
  end(): CsvRow[]
}

/** Maximum number of characters of a row. A longer one has a quote that was never closed. */
const maxRowLength = 1_000_000

const unclosedQuote = 'Unclosed quote.'

const separators = [',', ';', '\t'] as const

/** A first line such as `sep=;`, with which a spreadsheet names the separator of the other lines. */
const separatorLine = /^\ufeff?"?sep=([^\r\n"]|\\t)"?(?=[\r\n]|$)/i

/** Returns the separator that the first line names, otherwise the most frequent one of the first line outside quotes. */
export function separatorOf(text: string): string {
  const named = separatorLine.exec(text)?.[1]
  if (named !== undefined) return named === '\\t' ? '\t' : named
  const first = /^(?:[^"\r\n]|"(?:[^"]|"")*")*/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? ''
  const count = (it: string): number => first.split(it).length
  // On a tie the later one wins: a column name may contain a comma, but hardly a tab.
  return separators.reduce<string>((best, it) => (count(it) > 1 && count(it) >= count(best) ? it : best), ',')
}

/**
 * Creates a streaming CSV reader (RFC 4180, any line ends). It skips blank lines, rows of empty cells, which
 * spreadsheets write below the last row, and a line that names the separator. Beyond the text of one `push` it holds one
 * row in memory, whatever the size of the file.
 */
export async function createCsvReader(separator: string): Promise<CsvReader> {
  let left = ''
  let line = 1

  /** Parses whole lines. Returns the rows; what is left starts with a row that is not complete. */
  function take(text: string): CsvRow[] {
    const { rows, rest } = parseCsv(text, separator)
    left = rest
    return rows.flatMap((cells) => {
      const row = { line, cells }
      line += 1
      for (const cell of cells) for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) line += 1
      const isSkipped =
        cells.every((it) => it.trim() === '') || (row.line === 1 && separatorLine.test(cells.join(separator)))
      return isSkipped ? [] : row
    })
  }

  return {
    push(text) {
      const all = left + text
      // A carriage return at the end may be the first half of a line end.
      const end = Math.max(all.lastIndexOf('\n'), all.slice(0, -1).lastIndexOf('\r')) + 1
      const rows = take(all.slice(0, end))
      left += all.slice(end)
      if (left.length <= maxRowLength) return rows
      // A row of this length is never intended. The quote on its first line is the error, and the text after that line
      // is read as lines again.
      const first = left.search(/[\r\n]/)
      left = first < 0 ? '' : left.slice(first + 1)
      return [...rows, { line: line++, cells: [], broken: unclosedQuote }]
    },
    end() {
      const rows = take(left)
      if (left === '') return rows
      const at = line
      const [row] = take(`${left}"`)
      left = ''
      return [...rows, { line: at, cells: row?.cells ?? [], broken: unclosedQuote }]
    },
  }
}

export type RowFormat = (typeof rowFormats)[number]

/** One row of the input, in any format. */
export interface Row {
  /**
   * Index of the row, from 0. Progress files name rows by it, so which lines count as rows never changes: an import that a
   * later version continues would send other rows.
   */
  readonly at: number
  /** The line on which it starts, from 1; for a JSON or YAML list its position in the list. */
  readonly line: number
  /** Column names; the same array for every row of a CSV file. */
  readonly columns: readonly string[]
  readonly values: readonly unknown[]
  /** A sentence that describes a syntax error of the row. */
  readonly problem?: string
}

/** Format of the input. */
export interface RowEncoding {
  readonly format: RowFormat
  /** Separator of CSV. */
  readonly separator: string
}

const formatsByEnding: Readonly<Record<string, RowFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

/**
 * Detects the encoding of a source from `--format`, the file extension or the first line. @throws ClientFailure `usage`
 * if it is not text
 */
export async function detectEncoding(source: RowSource, givenFormat: RowFormat | undefined): Promise<RowEncoding> {
  let start = ''
  for await (const text of source.read()) {
    start += text
    if (start.length > 4096 || /\n/.test(start.trimStart())) break
  }
  if (start.includes('\0'))
    throw usageError(`${source.name} is not UTF-8 text.`, 'In a spreadsheet program, save it as "CSV UTF-8".')
  const first = start.trimStart()[0]
  const seen = first === '{' ? 'ndjson' : first === '[' ? 'json' : 'csv'
  const named = formatsByEnding[source.ending]
  // Content that starts as JSON is JSON, whatever the file name. A .json file may hold a list or one object per line.
  const format =
    givenFormat ??
    (first === '{' && named !== 'yaml' ? 'ndjson' : first === '[' && named !== 'csv' ? 'json' : (named ?? seen))
  return { format, separator: format === 'csv' ? separatorOf(start) : ',' }
}

/**
 * Reads all rows in chunks. @throws ClientFailure `usage` for a file without a header, or JSON or YAML that is not a
 * list
 */
export function readRows(
  source: RowSource,
  encoding: RowEncoding,
  seen?: (bytes: Uint8Array) => void,
): AsyncIterable<readonly Row[]> {
  if (encoding.format === 'csv') return csvRows(source, encoding.separator, seen)
  return encoding.format === 'ndjson' ? lineRows(source, seen) : listRows(source, encoding.format, seen)
}

async function* csvRows(
  source: RowSource,
  separator: string,
  seen?: (bytes: Uint8Array) => void,
): AsyncIterable<readonly Row[]> {
  const reader = await createCsvReader(separator)
  let columns: readonly string[] | undefined
  let at = 0
  const toRows = (found: readonly CsvRow[]): Row[] => {
    const rows: Row[] = []
    for (const { line, cells, broken } of found) {
      if (!columns) columns = parseHeader(cells, source.name, broken)
      else rows.push(csvRow(at++, line, columns, cells, broken))
    }
    return rows
  }
  for await (const text of source.read(seen)) yield toRows(reader.push(text))
  yield toRows(reader.end())
  if (!columns)
    throw usageError(
      `${source.name} is empty.`,
      'The first line of a CSV file names its columns: phone_number,first_name.',
    )
}

/** Parses the header line. @throws ClientFailure `usage` if the cells cannot be column names */
export function parseHeader(cells: readonly string[], name: string, broken: string | undefined): readonly string[] {
  if (broken !== undefined) throw usageError(`${name}: invalid header line. ${broken}`)
  const columns = cells.map((it) => it.trim())
  const twice = columns.find((it, n) => it !== '' && columns.indexOf(it) !== n)
  if (twice !== undefined)
    throw usageError(`Duplicate column "${twice}" in ${name}.`, 'Use unique column names in the first line.')
  if (columns.some((it) => /^\+?\d[\d\s().-]{5,}$/.test(it)))
    throw usageError(
      `${name} has no header line with column names.`,
      'Add one as the first line, for example: phone_number,first_name.',
    )
  return columns
}

function csvRow(
  at: number,
  line: number,
  columns: readonly string[],
  values: readonly string[],
  broken: string | undefined,
): Row {
  const wrong =
    broken ??
    (values.length > columns.length ? extraCellsProblem(values.slice(columns.length), columns.length) : undefined)
  return wrong === undefined ? { at, line, columns, values } : { at, line, columns, values, problem: wrong }
}

/**
 * Returns a problem for cells beyond the header. Empty ones are accepted, because spreadsheets add them at the end of a
 * line.
 */
const extraCellsProblem = (over: readonly string[], columns: number): string | undefined =>
  over.every((it) => it.trim() === '')
    ? undefined
    : `The row has ${columns + over.length} cells, but the header has ${columns}. Check for a missing quote or separator.`

async function* lineRows(source: RowSource, seen?: (bytes: Uint8Array) => void): AsyncIterable<readonly Row[]> {
  let left = ''
  let line = 0
  let at = 0
  const toRows = (lines: readonly string[]): Row[] =>
    lines.flatMap((text) => {
      line += 1
      return text.trim() === '' ? [] : [toRow(at++, line, parsed(text), text)]
    })
  for await (const text of source.read(seen)) {
    const lines = (left + text).split('\n')
    left = lines.pop() ?? ''
    yield toRows(lines)
  }
  yield toRows(left === '' ? [] : [left])
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Converts a value to a row. `text` is the source text, used as the value if it cannot be read. */
function toRow(at: number, line: number, value: unknown, text: unknown): Row {
  const unreadable = { at, line, columns: [textColumn], values: [text] }
  if (!isObject(value)) return { ...unreadable, problem: 'Not a JSON object.' }
  return { at, line, columns: Object.keys(value), values: Object.values(value) }
}

/**
 * Reads a list. It cannot be read line by line, so it is read as a whole and its size is limited like that of a
 * document.
 */
async function* listRows(
  source: RowSource,
  format: 'json' | 'yaml',
  seen?: (bytes: Uint8Array) => void,
): AsyncIterable<readonly Row[]> {
  if (source.size > maxInputLength)
    throw usageError(
      `${source.name} is larger than ${maxInputLength / 1024 / 1024} MB, the maximum for a list.`,
      'Convert it to NDJSON, one object per line: jq -c ".[]".',
    )
  let text = ''
  for await (const chunk of source.read(seen)) text += chunk
  let value = format === 'json' ? parsed(text) : undefined
  if (value === undefined) {
    try {
      // Every scalar stays text as written, so that a number keeps its plus sign.
      value = (await readYaml(text)).value
    } catch (problem) {
      throw usageError(`${source.name} is not valid JSON or YAML: ${yamlErrorMessage(problem)}`)
    }
  }
  if (!Array.isArray(value))
    throw usageError(`${source.name} must contain a list of rows.`, 'For example: [{"phone_number": "+14155550111"}].')
  yield value.map((it, at) => toRow(at, at + 1, it, it))
}
