import type * as z from 'zod'
import { formatValue } from '../cli/program/output/format-value.ts'
import { parseTime } from '../cli/program/output/time.ts'
import { schemaDefinition } from '../contract/endpoint/coerce.ts'
import { realTime } from '../node/real-time.ts'

/** Maximum levels of a response that are walked, and maximum values that are formatted. */
const maxDepth = 12
const maxValues = 20_000

type Kind = 'money' | 'time' | 'duration'

/**
 * Returns the kind of a field that is shown in another form than its value has. It knows
 * more names than `kindOf` of the CLI's tables (columns.ts), whose commands give the kinds of their columns.
 */
function kindOf(name: string, value: unknown): Kind | undefined {
  const isNumber =
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
  if (isNumber && /(^|_)(cost|price|total_balance)$/.test(name)) return 'money'
  if (isNumber && name === 'duration') return 'duration'
  return typeof value === 'string' &&
    /(_at|_until|_start|_end)$|^(at|now)$/.test(name) &&
    parseTime(value) !== undefined
    ? 'time'
    : undefined
}

/**
 * Returns the values of a response that people read in another form: amounts, times with the zone of this machine, and
 * durations, formatted as the CLI does. Only fields of the schema are formatted. Keys are JSON pointers (RFC 6901). The
 * page reads them with `shownAt` (page/data/values.ts).
 */
export function shownValues(schema: z.ZodType, body: unknown): Record<string, string> {
  const shown: Record<string, string> = {}
  const how = { utc: false, now: realTime.now(), computerNow: realTime.now(), relative: false, lines: false }
  let left = maxValues

  function walk(schema: z.ZodType, value: unknown, pointer: string, name: string, depth: number): void {
    if (value === null || value === undefined || depth > maxDepth || left <= 0) return
    const def = schemaDefinition(schema)
    const on = (next: z.ZodType | undefined): void => {
      if (next) walk(next, value, pointer, name, depth + 1)
    }
    if (def.type === 'pipe') return on(def.out && schemaDefinition(def.out).type === 'transform' ? def.in : def.out)
    if (def.innerType) return on(def.innerType)
    if (def.type === 'lazy') return on(def.getter?.())
    if (def.type === 'union') return def.options?.forEach(on)
    if (Array.isArray(value)) {
      const { element } = def
      if (element) for (const [n, item] of value.entries()) walk(element, item, `${pointer}/${n}`, name, depth + 1)
    } else if (typeof value === 'object') {
      for (const [key, field] of Object.entries(def.shape ?? {})) {
        if (Object.hasOwn(value, key))
          walk(field, (value as Record<string, unknown>)[key], `${pointer}/${escaped(key)}`, key, depth + 1)
      }
    } else {
      const kind = kindOf(name, value)
      if (kind === undefined) return
      shown[pointer] = formatValue(value, kind, how)
      left--
    }
  }

  walk(schema, body, '', '', 0)
  return shown
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
