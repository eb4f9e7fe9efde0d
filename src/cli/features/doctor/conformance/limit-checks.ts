import type * as z from 'zod'
import {
  allowedValues,
  isRequired,
  numberRange,
  schemaDefinition,
  unwrap,
} from '../../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import type { Difference } from '../../../../contract/endpoint/response-differences.ts'
import { textOf, textRange } from './accepted-values.ts'
import type { ConformanceSession, Fields } from './conformance-session.ts'
import { expectRejected, rejectionDifferences } from './refusal-differences.ts'

/** Returns values that a field must reject, with a description of each. */
function wrongValues(schema: z.ZodType, marker: string): readonly (readonly [what: string, value: unknown])[] {
  const { base, kind } = unwrap(schema)
  const found: [string, unknown][] = []
  if (kind !== 'unknown' && kind !== 'object' && kind !== 'record')
    found.push(['wrong type', { nothing: 'of the kind' }])
  if (allowedValues(schema)) found.push(['unknown value', 'conformance'])
  const { min, max } = numberRange(base)
  if (min !== undefined && Number.isSafeInteger(min)) found.push([`${min - 1}`, min - 1])
  if (max !== undefined && Math.abs(max) < Number.MAX_SAFE_INTEGER) found.push([`${max + 1}`, max + 1])
  const { minLength = 0, maxLength } = textRange(schema)
  if (kind === 'string' && maxLength !== undefined)
    found.push([
      `${maxLength + 1} characters`,
      textOf(schema, maxLength + 1, maxLength, marker) ?? 'x'.repeat(maxLength + 1),
    ])
  if (kind === 'string' && minLength > 1) found.push([`${minLength - 1} characters`, 'x'.repeat(minLength - 1)])
  return found
}

/**
 * Sends a body with every field missing, of a wrong type and beyond its limits; `acceptedBody` is a valid body. All
 * fields are invalid at once to save requests. A field without an error is then sent alone.
 */
export async function checkLimits(
  session: ConformanceSession,
  endpoint: Endpoint,
  acceptedBody: Fields,
): Promise<void> {
  const whole = (schemaDefinition(unwrap(endpoint.body as z.ZodType).base).shape ?? {}) as Readonly<
    Record<string, z.ZodType>
  >
  const shape = Object.fromEntries(Object.entries(whole).filter(([, schema]) => session.offersField(schema)))
  const found: Difference[] = []
  const left = Object.keys(shape).filter((name) => isRequired(shape[name] as z.ZodType))
  if (left.length > 0) {
    const answer = await session.send(
      endpoint,
      Object.fromEntries(Object.entries(acceptedBody).filter(([name]) => !left.includes(name))),
    )
    for (const name of left) found.push(...rejectionDifferences(answer, name, 'missing'))
  }
  const all = Object.entries(shape).map(([name, schema]) => [name, wrongValues(schema, session.marker)] as const)
  // A field that does not apply with the value of another one, such as the mode, is ignored whatever it has.
  const { by = '', fields: applying = {} } = endpoint.conditionalFields ?? {}
  const validated = endpoint.conditionalFields?.isValidated === true
  const applies = (name: string): boolean =>
    validated || !applying[name] || applying[name].includes(String(acceptedBody[by]))
  const wrong = all.filter(([name]) => applies(name))
  for (const [name, values] of all.filter(([name]) => !applies(name)))
    for (const [what, value] of values)
      found.push(
        ...(await expectRejected(
          session,
          endpoint,
          { ...acceptedBody, [by]: applying[name]?.[0], [name]: value },
          name,
          what,
        )),
      )
  const rounds = Math.max(0, ...wrong.map(([, values]) => values.length))
  for (let round = 0; round < rounds; round++) {
    const wrongFields = wrong.flatMap(([name, values]) =>
      values.slice(round, round + 1).map(([what, value]) => [name, what, value] as const),
    )
    const answer = await session.send(endpoint, {
      ...acceptedBody,
      ...Object.fromEntries(wrongFields.map(([name, , value]) => [name, value])),
    })
    for (const [name, what, value] of wrongFields) {
      if (rejectionDifferences(answer, name, what).length === 0) continue
      found.push(...(await expectRejected(session, endpoint, { ...acceptedBody, [name]: value }, name, what)))
    }
  }
  session.report.add(endpoint.name, 'limits', found)
}
