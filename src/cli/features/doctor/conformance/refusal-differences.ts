import { property } from '../../../../client/response-body.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import { type Difference, describeValue } from '../../../../contract/endpoint/response-differences.ts'
import { envelopes, type FailureKind } from '../../../../contract/errors/exit-codes.ts'
import { type FailureName, failures, wireCode } from '../../../../contract/errors/failures.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { drift } from './conformance-report.ts'
import type { Answer, ConformanceSession, Fields } from './conformance-session.ts'

/** Compares a refusal with the failure of this name. `text` replaces its usual message; null accepts any. */
export function refusalDifferences(
  endpoint: Endpoint,
  name: FailureName,
  { status, output: body }: Answer,
  text: string | null = failures[name].text,
): Difference[] {
  if (status === 0) return []
  const kind: FailureKind = failures[name]
  const differences: Difference[] =
    status === kind.status ? [] : [drift('.', `status ${kind.status}`, `status ${status}`)]
  const documented = envelopes[kind.envelope]({
    text: text ?? '',
    code: wireCode(name),
    ...(kind.extra && { extra: kind.extra }),
  }) as Fields
  if (!isObject(body)) differences.push(drift('.', 'an object', describeValue(body)))
  else if (status >= 400) {
    for (const [field, value] of Object.entries(documented)) {
      const seen = property(body, field)
      const isText = field === 'message' || (field === 'error' && kind.envelope !== 'automation')
      if (describeValue(seen) !== describeValue(value))
        differences.push(drift(field, describeValue(value), describeValue(seen)))
      else if (
        seen !== value &&
        !isObject(value) &&
        !(isText && (text === null || matchesTemplate(seen, value) || startsWith(seen, value)))
      )
        differences.push({
          path: field,
          expected: stringifyJson(value),
          seen: stringifyJson(seen),
          tolerated: isText && endpoint.assumed !== undefined,
        })
    }
    const errors = property(body, 'errors')
    if (
      name === 'invalid' &&
      isObject(errors) &&
      !Object.values(errors).every(
        (it) => Array.isArray(it) && it.length > 0 && it.every((one) => typeof one === 'string'),
      )
    )
      differences.push(drift('errors.*', 'a list of texts', 'another value'))
    for (const field of Object.keys(body))
      if (!Object.hasOwn(documented, field) && !(endpoint.name === 'automate.apply' && field === 'params'))
        differences.push({ path: field, expected: 'nothing', seen: describeValue(body[field]), tolerated: true })
  }
  return differences
}

/** Returns whether a message starts with the documented one; it may add details. */
const startsWith = (seen: unknown, documented: unknown): boolean =>
  typeof seen === 'string' && typeof documented === 'string' && seen.startsWith(`${documented} `)

/** Returns whether a message matches a documented one, in which words in braces match any text. */
function matchesTemplate(seen: unknown, documented: unknown): boolean {
  if (typeof seen !== 'string' || typeof documented !== 'string' || !documented.includes('{')) return false
  const parts = documented.split(/\{\w+\}/).map((it) => it.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]+')}$`).test(seen)
}

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
