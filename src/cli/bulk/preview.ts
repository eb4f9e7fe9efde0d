import type { Context } from '../context.ts'
import { safeLine } from '../output/safe-text.ts'
import { cut, width } from '../output/width.ts'
import { counted } from './bar.ts'
import type { Checked } from './check.ts'
import type { Kind } from './kind.ts'
import type { Place } from './mapping.ts'

/** Which column feeds which field, a line each, and the columns that feed none. */
export function mappingLines(columns: ReadonlyMap<string, Place>): {
  readonly fed: readonly (readonly [string, string])[]
  readonly unused: readonly string[]
} {
  const all = [...columns]
  return {
    fed: all.flatMap(([column, place]) => (place.to === 'nowhere' ? [] : [[column, place.to === 'variable' ? `variable ${place.name}` : place.name] as const])),
    unused: all.flatMap(([column, place]) => (place.to === 'nowhere' && column !== '' ? [column] : [])),
  }
}

/** One short line for scripts' logs: `Phone -> phone_number, first_name -> variable first_name; not sent: notes`. */
export function mappingSentence(columns: ReadonlyMap<string, Place>): string {
  const { fed, unused } = mappingLines(columns)
  return `Columns: ${fed.map(([column, field]) => `${column} -> ${field}`).join(', ')}${unused.length > 0 ? `; not sent: ${unused.join(', ')}` : ''}.`
}

/** Shows a person what will be sent: the columns, and the first rows as they will be. */
export async function showPreview(context: Context, name: string, checked: Checked, kind: Kind): Promise<void> {
  const room = context.world.streams.stderr.columns || 80
  const { fed, unused } = mappingLines(checked.columns)
  const wide = Math.min(30, Math.max(...fed.map(([column]) => width(safeLine(column))), 0))
  const line = (text: string): string => `${cut(safeLine(text), room - 1)}\n`
  const lines = [
    line(`${name}: ${counted(checked.rows)} rows, ${counted(checked.numbers.different)} numbers`),
    ...fed.map(([column, field]) => line(`  ${cut(safeLine(column), wide).padEnd(wide)}  -> ${field}`)),
    ...(unused.length > 0 ? [line(`  not sent: ${unused.join(', ')}`)] : []),
    line(`The first ${checked.sample.length === 1 ? kind.things[0] : `${checked.sample.length} ${kind.things[1]}`} as sent:`),
    ...checked.sample.map((body) => line(`  ${bodyInWords(body, kind)}`)),
  ]
  await context.world.streams.stderr.write(lines.join('')).catch(() => {})
}

/** `+14155550111  first_name=Anna`: what differs from row to row. */
function bodyInWords(body: Readonly<Record<string, unknown>>, kind: Kind): string {
  const { [kind.phone]: phone, variables, ...rest } = body
  const own = Object.entries(rest).filter(([field]) => Object.hasOwn(kind.fields.known, field))
  const told = [...own, ...Object.entries((variables ?? {}) as object)].map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${phone}  ${told.join('  ')}`.trimEnd()
}
