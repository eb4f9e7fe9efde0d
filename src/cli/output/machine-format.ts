import type { ExitName } from '../../contract/errors/exit-codes.ts'
import { knownFields, selectFields, valueAtPath } from './fields.ts'
import type { Form, OutputSettings, Shape } from './form.ts'

/** Thrown for `-o id` if a result has no id. */
export class NoId extends Error {
  readonly exit: ExitName = 'usage'
  readonly hint = 'Use -o json, or choose a field with --fields.'

  constructor() {
    super('The result has no id to print.')
    this.name = 'NoId'
  }
}

const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

/** Formats a tsv cell and escapes tabs and line breaks. */
function tsvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[\t\n\r\\]/.test(text) ? text.replace(/[\t\n\r\\]/g, (it) => escapes[it] ?? it) : text
}

const lines = (texts: readonly string[]): string => texts.map((it) => `${it}\n`).join('')

/** Returns the tsv columns: the requested fields, else the top-level fields of the schema, else those of the items. */
export function tsvColumns<T extends object>(items: readonly T[], settings: OutputSettings, shape: Shape<T>): string[] {
  if (settings.fields) return [...settings.fields]
  const known = shape.schema ? knownFields({ schema: shape.schema }).filter((it) => !it.includes('.')) : []
  if (known.length > 0) return known
  const here = [...new Set(items.flatMap((it) => Object.keys(it)))]
  return here.length > 0 ? here : knownFields(shape)
}

/** Renders the rows of tsv, without the header. */
export function tsvRows<T extends object>(items: readonly T[], columns: readonly string[]): string {
  return lines(items.map((item) => columns.map((column) => tsvCell(valueAtPath(item, column))).join('\t')))
}

/** Renders the header line of tsv. */
export const tsvHeader = (columns: readonly string[]): string => `${columns.join('\t')}\n`

/** Renders the id of each item, one per line; with `--fields`, those fields instead. */
export function idLines<T extends object>(items: readonly T[], settings: OutputSettings, shape: Shape<T>): string {
  const { fields } = settings
  if (fields) return tsvRows(items, fields)
  return lines(
    items.map((item) => {
      const id = shape.view
        ? shape.view.id(item)
        : ['id', 'token', 'name', 'phone_number'].map((key) => valueAtPath(item, key)).find((it) => it !== undefined)
      if (id === undefined || id === null) throw new NoId()
      return tsvCell(id)
    }),
  )
}

/** Renders one item per line as JSON. */
export const jsonLines = (items: readonly unknown[]): string => lines(items.map((item) => JSON.stringify(item)))

/** Renders one YAML document. Strings that YAML 1.1 or 1.2 would read as another type are quoted. */
async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 })
}

/**
 * Renders the output in a machine format: one document for json and yaml, one line per item for the others. Server text
 * is unchanged.
 */
export async function renderMachineText<T extends object>(
  value: T | readonly T[],
  settings: OutputSettings & { readonly form: Exclude<Form, 'table'> },
  shape: Shape<T>,
): Promise<string> {
  const isList = (it: T | readonly T[]): it is readonly T[] => Array.isArray(it)
  const items = isList(value) ? value : [value]
  if (settings.form === 'id') return idLines(items, settings, shape)
  if (settings.form === 'tsv') {
    const columns = tsvColumns(items, settings, shape)
    return (settings.header && columns.length > 0 ? tsvHeader(columns) : '') + tsvRows(items, columns)
  }
  const chosen: readonly unknown[] = settings.fields ? selectFields(items, settings.fields) : items
  if (settings.form === 'ndjson') return jsonLines(chosen)
  const whole = isList(value) ? chosen : chosen[0]
  return settings.form === 'json' ? `${JSON.stringify(whole, null, 2)}\n` : toYaml(whole)
}
