import { isObject } from '../../../contract/values/json-object.ts'
import { anyText } from '../input-fields.ts'
import { StepFailure } from '../step-failure.ts'

/** Renders a list of objects as a table with borders. Its columns are the fields of all objects. @throws StepFailure */
export function renderTextTable(data: unknown): string {
  if (!Array.isArray(data) || !data.every(isObject)) throw new StepFailure('data must be a list of objects.')
  if (data.length === 0) return ''
  const names = [...new Set(data.flatMap((it) => Object.keys(it)))]
  const rows = data.map((it) => names.map((name) => anyText.parse(it[name]).replaceAll('\n', ' ')))
  const widths = names.map((name, at) => rows.reduce((max, row) => Math.max(max, row[at]?.length ?? 0), name.length))
  const border = `+${widths.map((it) => '-'.repeat(it + 2)).join('+')}+`
  const line = (cells: readonly string[]): string =>
    `|${cells.map((it, at) => ` ${it.padEnd(widths[at] ?? 0)} `).join('|')}|`
  return [border, line(names), border, ...rows.map(line), border].join('\n')
}
