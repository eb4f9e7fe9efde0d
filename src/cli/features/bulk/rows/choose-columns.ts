import { stringifyJson } from '../../../../node/json.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { RowOperation } from '../row-operation.ts'
import { type ColumnTarget, createMapping, isOwnColumn, normalizeName, parseMaps } from './column-mapping.ts'
import { parseHeader as checkedHeader, createCsvReader, type RowEncoding, readRows } from './read-rows.ts'
import type { RowSource } from './row-source.ts'

/** Returns the columns of the first row; for a CSV file these are all columns. */
export async function readHeader(source: RowSource, encoding: RowEncoding): Promise<readonly string[]> {
  if (encoding.format === 'csv') {
    const reader = await createCsvReader(encoding.separator)
    for await (const text of source.read()) {
      const [first] = reader.push(text)
      if (first) return checkedHeader(first.cells, source.name, first.broken)
    }
    const [first] = reader.end()
    return first ? checkedHeader(first.cells, source.name, first.broken) : []
  }
  // A line that could not be read has only columns that the CLI added.
  for await (const rows of readRows(source, encoding)) {
    const row = rows.find((it) => !it.columns.every(isOwnColumn))
    if (row) return row.columns
  }
  return []
}

/**
 * Maps columns to fields by `--map`, and asks on a terminal for required fields without a column.
 *
 * @throws ClientFailure `usage` without a terminal, with the list of columns
 */
export async function chooseColumns(
  context: Context,
  operation: RowOperation,
  columns: readonly string[],
  map: readonly string[],
): Promise<ReadonlyMap<string, ColumnTarget>> {
  const maps = new Map(parseMaps(map, operation.fields))
  const undecoded = columns.find((it) => it.includes('\ufffd'))
  if (undecoded !== undefined)
    throw usageError(
      `The heading "${undecoded}" is not UTF-8 text.`,
      'Save the file as UTF-8: in a spreadsheet program as "CSV UTF-8", or with iconv -f WINDOWS-1252 -t UTF-8.',
    )
  const unknownColumn = [...maps.keys()].find((it) => !columns.includes(it))
  if (unknownColumn !== undefined && columns.length > 0)
    throw usageError(
      `Column "${unknownColumn}" not found.`,
      `Columns: ${columns.filter((it) => it !== '').join(', ')}.`,
    )
  const missing = columns.length === 0 ? [] : createMapping(operation.fields, maps).missing(columns)
  if (missing.length === 0) return maps
  const free = columns.filter((it) => it !== '' && !maps.has(it))
  if (!context.interactive)
    throw usageError(
      `Missing column ${missing.join(', ')}.`,
      `Columns: ${free.join(', ')}. Pass the column with ${missing.map((it) => `--map ${it}=${columnLike(operation.fields.known[it] ?? [], free)}`).join(' ')}.`,
    )
  const prompts = await context.prompts()
  for (const field of missing) {
    const left = free.filter((it) => !maps.has(it))
    const column = await prompts.select(
      `Which column is ${field}?`,
      left.map((it) => ({ name: it, value: it })),
      { searchable: true },
    )
    for (const [name, columnTarget] of parseMaps([`${field}=${column}`], operation.fields)) maps.set(name, columnTarget)
  }
  return maps
}

/**
 * Returns the column whose name contains a common name of the field, such as "Phone (private)", for a command line;
 * without one, a placeholder.
 */
function columnLike(names: readonly string[], columns: readonly string[]): string {
  const found = columns.find((it) => names.some((name) => name.length > 2 && normalizeName(it).includes(name)))
  return found === undefined ? '<column>' : stringifyJson(found)
}
