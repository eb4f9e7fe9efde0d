import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { formatCsvLine } from '../../../node/format-csv.ts'
import { stringifyJson } from '../../../node/json.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { escapeControls } from '../terminal/safe-text.ts'
import { fieldsOfItems, knownFields, selectFields, valueAtPath, withComposed } from './fields.ts'
import { type Format, isMachine, type OutputSettings, type Rendered, type Shape } from './format.ts'

/** Thrown for `-o id` if a result has no id. */
class NoId extends Error {
  readonly exit: ExitName = 'usage'
  readonly hint = 'Use -o json, or choose a field with --fields.'

  constructor() {
    super('The result has no id to print.')
    this.name = 'NoId'
  }
}

const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

/** Settings that decide how a cell is written. */
type CellSettings = Pick<OutputSettings, 'terminal' | 'safe'>

// Spreadsheets also accept the full-width forms of these characters, and ignore spaces before them.
const formulaPattern = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/

/** Returns the text of a cell; with `--safe`, an apostrophe before text that a spreadsheet would read as a formula. */
function cellText(value: unknown, { safe }: CellSettings): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? stringifyJson(value) : String(value)
  return safe &&
    typeof value !== 'number' &&
    typeof value !== 'bigint' &&
    formulaPattern.test(text) &&
    !plainNumber.test(text)
    ? `'${text}`
    : text
}

/** Formats a tsv cell and escapes tabs and line breaks; on a terminal also control characters. */
function tsvCell(value: unknown, settings: CellSettings): string {
  const cell = cellText(value, settings)
  const text = /[\t\n\r\\]/.test(cell) ? cell.replace(/[\t\n\r\\]/g, (it) => escapes[it] ?? it) : cell
  return settings.terminal ? escapeControls(text) : text
}

/** Formats a row of tsv or csv. */
function formatRow(cells: readonly unknown[], format: Format, settings: CellSettings): string {
  if (format !== 'csv') return `${cells.map((it) => tsvCell(it, settings)).join('\t')}\n`
  const line = formatCsvLine(
    cells.map((it) => cellText(it, settings)),
    ',',
  )
  return settings.terminal ? escapeControls(line.replaceAll('\r', '\\r')) : line
}

const lines = (texts: readonly string[]): string => texts.map((it) => `${it}\n`).join('')

/**
 * Returns the columns of tsv and csv: the requested fields, else the top-level fields of the schema, else those of the items. Scripts
 * read them by name or position: a field that moves in a schema moves its column.
 */
export function rowColumns<T extends object>(items: readonly T[], settings: OutputSettings, shape: Shape<T>): string[] {
  if (settings.fields) return [...settings.fields]
  const known = shape.schema ? knownFields({ schema: shape.schema }).filter((it) => !it.includes('.')) : []
  if (known.length > 0) return known
  const here = [...new Set(items.flatMap((it) => Object.keys(it)))]
  return here.length > 0 ? here : knownFields(shape)
}

/** Renders the rows of tsv or csv, without the header. */
export const renderRows = <T extends object>(
  items: readonly T[],
  columns: readonly string[],
  settings: OutputSettings,
): string =>
  items
    .map((item) =>
      formatRow(
        columns.map((column) => valueAtPath(item, column)),
        settings.format,
        settings,
      ),
    )
    .join('')

/** Renders the header line of tsv or csv. The columns may be named by a server. */
export const renderHeader = (columns: readonly string[], settings: OutputSettings): string =>
  formatRow(columns, settings.format, settings)

/** Renders the id of each item, one per line; with `--fields`, those fields instead. */
export function idLines<T extends object>(items: readonly T[], settings: OutputSettings, shape: Shape<T>): string {
  const { fields } = settings
  if (fields) return renderRows(items, fields, settings)
  return lines(
    items.map((item) => {
      const id = shape.view
        ? shape.view.id(item)
        : ['id', 'token', 'name', 'phone_number'].map((key) => valueAtPath(item, key)).find((it) => it !== undefined)
      if (id === undefined || id === null) throw new NoId()
      return tsvCell(id, settings)
    }),
  )
}

/** Renders one item per line as JSON. Control characters are escaped. */
export const jsonLines = (items: readonly unknown[]): string =>
  escapeControls(lines(items.map((item) => stringifyJson(item))))

/** Returns a value as one JSON document, indented for people. */
export const documentText = (value: unknown, { isIndented }: Pick<OutputSettings, 'isIndented'>): string =>
  stringifyJson(value, null, isIndented ? 2 : undefined)

/** Renders one YAML document. Strings that YAML 1.1 or 1.2 would read as another type are quoted. */
async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await loadYaml()
  const options = { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 } as const
  const text = stringify(value, options)
  if (escapeControls(text) === text) return text
  // Escapes exist only in double quotes.
  return escapeControls(stringify(value, { ...options, defaultStringType: 'QUOTE_DOUBLE', blockQuote: false }))
}

/**
 * Renders the output in a machine format: one document for json and yaml, one line per item for the others. Control
 * characters are escaped in json and yaml, which changes no value, and on a terminal also in the others.
 */
async function renderMachineText<T extends object>(
  value: T | readonly T[],
  settings: OutputSettings & { readonly format: Exclude<Format, 'table'> },
  shape: Shape<T>,
): Promise<string> {
  const isList = (it: T | readonly T[]): it is readonly T[] => Array.isArray(it)
  const items = isList(value) ? value : [value]
  if (settings.format === 'id') return idLines(items, settings, shape)
  if (settings.format === 'tsv' || settings.format === 'csv') {
    const columns = rowColumns(items, settings, shape)
    return (
      (settings.header && columns.length > 0 ? renderHeader(columns, settings) : '') +
      renderRows(items, columns, settings)
    )
  }
  const chosen: readonly unknown[] = settings.fields ? selectFields(items, settings.fields) : items
  if (settings.format === 'ndjson') return jsonLines(chosen)
  const whole = isList(value) ? chosen : chosen[0]
  return settings.format === 'json' ? escapeControls(`${documentText(whole, settings)}\n`) : toYaml(whole)
}

type Machine = Parameters<typeof renderMachineText>[1]
const isForMachine = (settings: OutputSettings): settings is OutputSettings & Machine => isMachine(settings.format)

/** Replaces the names of `--fields` by their paths. @throws UnknownField */
export const withFieldPaths = <T>(settings: OutputSettings, items: readonly T[], shape: Shape<T>): OutputSettings =>
  settings.fields ? { ...settings, fields: fieldsOfItems(settings.fields, items, shape) } : settings

/** Renders a list in the requested format. @throws UnknownField, NoId */
export async function renderList<T extends object>(
  given: readonly T[],
  asked: OutputSettings,
  shape: Shape<T> = {},
): Promise<Rendered> {
  const settings = withFieldPaths(asked, given, shape)
  const items = withComposed(given, settings.fields, shape)
  if (isForMachine(settings)) {
    return { text: await renderMachineText(items, settings, shape), hidden: [] }
  }
  const { renderTable } = await import('./tables/table.ts')
  return renderTable(items, settings, shape)
}

/** Renders a record in the requested format. @throws UnknownField, NoId */
export async function renderRecord<T extends object>(
  given: T,
  asked: OutputSettings,
  shape: Shape<T> = {},
): Promise<string> {
  const settings = withFieldPaths(asked, [given], shape)
  const [item = given] = withComposed([given], settings.fields, shape)
  if (isForMachine(settings)) {
    return renderMachineText(item, settings, shape)
  }
  const { renderRecordForPeople } = await import('./tables/cards.ts')
  return renderRecordForPeople(item, settings, shape)
}
