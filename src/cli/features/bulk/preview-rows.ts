import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { safeLine } from '../../program/terminal/safe-text.ts'
import { textWidth, truncateText } from '../../program/terminal/text-width.ts'
import type { CheckResult } from './bulk-job.ts'
import { formatCount } from './progress-bar.ts'
import type { RowOperation } from './row-operation.ts'
import type { ColumnTarget } from './rows/column-mapping.ts'

/** Returns the pairs of column and field, and the columns that are not sent. */
function mappingLines(columns: ReadonlyMap<string, ColumnTarget>): {
  readonly fed: readonly (readonly [string, string])[]
  readonly unused: readonly string[]
} {
  const all = [...columns]
  return {
    fed: all.flatMap(([column, place]) =>
      place.to === 'nowhere'
        ? []
        : [[column, place.to === 'variable' ? `variable ${place.name}` : place.name] as const],
    ),
    unused: all.flatMap(([column, place]) => (place.to === 'nowhere' && column !== '' ? [column] : [])),
  }
}

/**
 * Describes the column mapping in one line for logs: `Phone -> phone_number, first_name -> variable first_name; not
 * sent: notes`.
 */
export function mappingSentence(columns: ReadonlyMap<string, ColumnTarget>): string {
  const { fed, unused } = mappingLines(columns)
  return `Columns: ${fed.map(([column, field]) => `${column} -> ${field}`).join(', ')}${unused.length > 0 ? `; not sent: ${unused.join(', ')}` : ''}.`
}

/** Shows on stderr what will be sent: the column mapping and the first rows. */
export async function showPreview(
  context: Context,
  name: string,
  checkResult: CheckResult,
  operation: RowOperation,
): Promise<void> {
  const room = context.system.streams.stderr.columns || 80
  const { fed, unused } = mappingLines(checkResult.columns)
  const wide = Math.min(30, Math.max(...fed.map(([column]) => textWidth(safeLine(column))), 0))
  const line = (text: string): string => `${truncateText(safeLine(text), room - 1)}\n`
  const lines = [
    line(`${name}: ${formatCount(checkResult.rows)} rows, ${formatCount(checkResult.numbers.distinct)} numbers`),
    ...fed.map(([column, field]) => line(`  ${truncateText(safeLine(column), wide).padEnd(wide)}  -> ${field}`)),
    ...(unused.length > 0 ? [line(`  not sent: ${unused.join(', ')}`)] : []),
    line(
      `The first ${checkResult.sample.length === 1 ? operation.nouns[0] : `${checkResult.sample.length} ${operation.nouns[1]}`} as sent:`,
    ),
    ...checkResult.sample.map((body) => line(`  ${describeBody(body, operation)}`)),
  ]
  await context.system.streams.stderr.write(lines.join('')).catch(() => {})
}

/** Describes the parts of a body that differ between rows: `+14155550111  first_name=Anna`. */
function describeBody(body: Readonly<Record<string, unknown>>, operation: RowOperation): string {
  const { [operation.phoneField]: phone, variables, ...rest } = operation.shownOf?.(body) ?? body
  const own = Object.entries(rest).filter(
    ([field]) => Object.hasOwn(operation.fields.known, field) || operation.contentFields.includes(field),
  )
  const pairs = [...own, ...Object.entries((variables ?? {}) as object)].map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : stringifyJson(value)}`,
  )
  return `${phone}  ${pairs.join('  ')}`.trimEnd()
}
