import { isObject } from '../../../../contract/values/json-object.ts'
import { parseJson } from '../../../../node/json.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readYaml, yamlErrorMessage } from '../../../program/input/read-yaml.ts'
import { maxInputLength } from '../../../program/terminal/streams.ts'
import { textColumn } from './column-mapping.ts'
import { type CsvRow, createCsvReader, separatorOf } from './csv.ts'
import type { RowSource } from './row-source.ts'

const rowFormats = ['csv', 'ndjson', 'json', 'yaml'] as const
export type RowFormat = (typeof rowFormats)[number]

/** One row of the input, in any format. */
export interface Row {
  /** Index of the row, from 0. */
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
  for await (const it of source.read(seen)) text += it
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
