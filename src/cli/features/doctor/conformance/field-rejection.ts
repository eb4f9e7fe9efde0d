import { property } from '../../../../client/response-body.ts'
import type { Endpoint } from '../../../../contract/mechanics/endpoint.ts'
import type { Difference } from '../../../../contract/mechanics/response-differences.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { drift } from './conformance-report.ts'
import type { Answer, ConformanceSession, Fields } from './conformance-session.ts'

/** Compares a response with a 422 that names a field; `what` describes the invalid value. */
export function rejectionDifferences({ status, output }: Answer, field: string, what: string): Difference[] {
  if (status === 0) return []
  const path = `${field} (${what})`
  if (status !== 422) return [drift(path, 'status 422', `status ${status}`)]
  const errors = property(output, 'errors')
  if (!isObject(errors)) return [drift(path, 'errors by field', 'none')]
  const isNamed = Object.keys(errors).some((it) => it === field || it.startsWith(`${field}.`))
  return isNamed
    ? []
    : [drift(path, `an error of ${field}`, `errors of ${Object.keys(errors).join(', ') || 'no field'}`)]
}

/** Sends an invalid value and expects a rejection. */
export const expectRejected = async (
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
  field: string,
  what: string,
): Promise<Difference[]> => rejectionDifferences(await session.send(endpoint, input), field, what)
