import type * as z from 'zod'
import { coerce } from '../../contract/mechanics/coerce.ts'
import { timeParameters } from '../../contract/mechanics/field-schemas.ts'
import type { Command, CommandInput } from '../commandline/command.ts'
import { parseTime } from '../input/time-flag.ts'
import type { Condition } from './parse-conditions.ts'

/** What a platform filters itself. */
export interface PlatformFilters {
  /** Parameters of the endpoint, or flags of the command, by name. */
  readonly fields: CommandInput
  /** The conditions that they express. */
  readonly handled: ReadonlySet<Condition>
}

/** Returns the parameter for a condition on the time of the records, and its value; undefined if there is none. */
function timeParameter(
  { operator, value }: Condition,
  parameters: Readonly<Record<string, z.ZodType>>,
  now: number,
): readonly [string, string] | undefined {
  const isLower = operator === '>' || operator === '>='
  const span = parseTime(value, now)
  if (!span || (!isLower && operator !== '<' && operator !== '<=')) return undefined
  // With --watch, a relative end moves on.
  if (span.isRelative && !isLower) return undefined
  const name = (isLower ? timeParameters.from : timeParameters.to).find((it) => parameters[it])
  if (name === undefined) return undefined
  const time = new Date(isLower ? span.from : span.to).toISOString()
  return [name, [time, time.slice(0, 10)].find((it) => parameters[name]?.safeParse(it).success) ?? time]
}

/**
 * Returns the parameters of an endpoint that express conditions: those with the name of the field, and those of the
 * time range. The result contains every record that matches, and may contain others. `given` are the parameters that the
 * user passed, which are never replaced.
 */
export function platformFilters(
  { endpoint, filledFields = [], flags = [] }: Command,
  conditions: readonly Condition[],
  given: CommandInput,
  { timePath, now }: { readonly timePath: string | undefined; readonly now: number },
): PlatformFilters {
  const fields: Record<string, unknown> = {}
  const handled = new Set<Condition>()
  const parameters = (endpoint?.query?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  // A field that the command fills can only be set by its flag.
  const isFree = (name: string): boolean =>
    given[name] === undefined &&
    fields[name] === undefined &&
    (!filledFields.includes(name) || flags.some((it) => it.field === name || it.flags.startsWith(`--${name} `)))
  for (const condition of conditions) {
    const { field, operator, value, isNull } = condition
    if (isNull || field.read) continue
    const schema = parameters[field.path]
    if (operator === '=' && schema && isFree(field.path)) {
      const parsed = coerce(schema, value)
      if (!schema.safeParse(parsed).success) continue
      fields[field.path] = parsed
      handled.add(condition)
    } else if (field.path === timePath) {
      const [name, time] = timeParameter(condition, parameters, now) ?? []
      if (name === undefined || given[name] !== undefined || fields[name] !== undefined) continue
      fields[name] = time
      handled.add(condition)
    }
  }
  return { fields: withoutEmptyRange(fields), handled }
}

/** A platform rejects a range that ends before it begins, which matches nothing. */
function withoutEmptyRange(fields: CommandInput): CommandInput {
  const { date_from: from, date_to: to, ...others } = fields
  return from !== undefined && to !== undefined && String(to) < String(from) ? { ...others, date_from: from } : fields
}
