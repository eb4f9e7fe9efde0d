import type * as z from 'zod'
import { property } from '../../../../client/response-body.ts'
import {
  allowedValues,
  defaultOf,
  numberRange,
  schemaDefinition,
  unwrap,
} from '../../../../contract/endpoint/coerce.ts'
import { type Endpoint, inapplicableFields } from '../../../../contract/endpoint/endpoint.ts'
import type { Difference } from '../../../../contract/endpoint/response-differences.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { drift } from './conformance-report.ts'
import {
  type Answer,
  type ConformanceSession,
  type Fields,
  isAnswered,
  isSuccess,
  recordOf,
} from './conformance-session.ts'
import { dependentFields } from './endpoint-tables.ts'
import { differingFields } from './read-back.ts'

/** Returns the marker of a check for fields that accept letters, digits and underscores only. */
export const plainMarker = (marker: string): string => marker.toLowerCase().replaceAll(/\W/g, '_')

/** Returns whether a value is a text that the check with this marker wrote. */
export const startsWithMarker = (value: unknown, marker: string): boolean =>
  typeof value === 'string' && (value.startsWith(marker) || value.startsWith(plainMarker(marker)))

/**
 * Returns a text of `length` characters that a schema accepts at its maximum; undefined if it has another format. It
 * starts with the marker, so that cleanup finds the record.
 */
export function textOf(schema: z.ZodType, length: number, max: number, marker: string): string | undefined {
  const shapes = [marker, plainMarker(marker), '', 'https://example.com/']
  const shape = shapes.find((it) => it.length <= max && schema.safeParse(it.padEnd(max, 'x')).success)
  return shape?.padEnd(length, 'x').slice(0, length)
}

/** Returns the maximum and minimum number of characters of a text, as far as the contract states them. */
export function textRange(schema: z.ZodType): { readonly minLength?: number; readonly maxLength?: number } {
  const { base } = unwrap(schema)
  return (base as { meta?: () => { minLength?: number; maxLength?: number } | undefined }).meta?.() ?? {}
}

/** Returns the fields that do not apply to a resource, or may not: their values are ignored. */
function otherModeFields({ conditionalFields, body }: Endpoint, input: Fields): readonly string[] {
  if (!conditionalFields) return []
  const { by, fields } = conditionalFields
  const field = body?.shape[by] as z.ZodType | undefined
  const value = input[by] ?? (field && defaultOf(field))
  return value === undefined ? Object.keys(fields) : inapplicableFields(conditionalFields, value)
}

/** Returns values that a field must accept, with a description of each: its limits and every documented value. */
function acceptedValues(schema: z.ZodType, marker: string): readonly (readonly [what: string, value: unknown])[] {
  const { base, kind } = unwrap(schema)
  const found: [string, unknown][] = []
  const { min, max } = numberRange(base)
  const { minLength = 0, maxLength } = textRange(schema)
  if (maxLength !== undefined && maxLength <= 10_000)
    found.push([`${maxLength} characters`, textOf(schema, maxLength, maxLength, marker)])
  if (kind === 'string' && minLength > 1) found.push([`${minLength} characters`, 'x'.repeat(minLength)])
  if (max !== undefined && Math.abs(max) < Number.MAX_SAFE_INTEGER) found.push([`${max}`, max])
  if (min !== undefined && max !== undefined) found.push([`${min}`, min])
  if (kind === 'boolean') found.push(['true', true], ['false', false])
  for (const value of allowedValues(schema) ?? []) if (value !== null) found.push([String(value), value])
  return found.filter(([, value]) => value !== undefined && schema.safeParse(value).success)
}

/**
 * Sends every value that a write must accept, and compares the record in its response with it. Values of all fields
 * are sent at once; if they are refused, one by one. `afterwards` receives each success.
 */
export async function checkAccepted(
  session: ConformanceSession,
  endpoint: Endpoint,
  acceptedInput: Fields,
  afterwards: (answer: Answer) => Promise<void> = async () => {},
  maxRounds = Number.POSITIVE_INFINITY,
): Promise<void> {
  const shape = (schemaDefinition(unwrap(endpoint.body as z.ZodType).base).shape ?? {}) as Readonly<
    Record<string, z.ZodType>
  >
  const dependent = [...(dependentFields[endpoint.name] ?? []), ...otherModeFields(endpoint, acceptedInput)]
  const accepted = Object.entries(shape)
    .filter(([name, schema]) => session.offersField(schema) && !dependent.includes(name))
    .map(([name, schema]) => [name, acceptedValues(schema, session.marker)] as const)
  const rounds = Math.min(maxRounds, Math.max(0, ...accepted.map(([, values]) => values.length)))
  const found: Difference[] = []
  const send = async (fields: Fields): Promise<Answer> => {
    const answer = await session.send(endpoint, { ...acceptedInput, ...fields })
    if (!isSuccess(answer)) return answer
    if (endpoint.record !== undefined)
      found.push(...differingFields('', recordOf(endpoint, answer.output), fields, 'the sent value'))
    await afterwards(answer)
    return answer
  }
  for (let round = 0; round < rounds; round++) {
    const given = accepted.flatMap(([name, values]) =>
      values.slice(round, round + 1).map(([what, value]) => [name, what, value] as const),
    )
    const all = await send(Object.fromEntries(given.map(([name, , value]) => [name, value])))
    if (isSuccess(all) || !isAnswered(all)) continue
    for (const [name, what, value] of given) {
      const alone = await send({ [name]: value })
      if (!isSuccess(alone) && isAnswered(alone) && refuses(alone, name))
        found.push(drift(`${name} (${what})`, 'the value to be accepted', `status ${alone.status}`))
    }
  }
  session.report.add(endpoint.name, 'limits', found)
}

/** Returns whether a rejection is about this field and no other, so that another rule is not its reason. */
function refuses({ output }: Answer, name: string): boolean {
  const errors = property(output, 'errors')
  return !isObject(errors) || Object.keys(errors).every((it) => it === name || it.startsWith(`${name}.`))
}
