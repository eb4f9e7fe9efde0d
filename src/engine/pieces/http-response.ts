import { measureJson } from '../../contract/endpoint/json-size.ts'
import { isObject } from '../../contract/values/json-object.ts'
import type { Micros } from '../../contract/values/micros.ts'
import { decodeText } from '../../node/decode-text.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { type FailureClass, StepFailure } from './step-failure.ts'

/** Maximum depth of a parsed response. Deeper ones stay text. */
const maxDepth = 200

/**
 * Decodes a response body: JSON is parsed, other text stays text, and binary data becomes base64. Steps have it as output and tools
 * as result: another form would break expressions of published definitions.
 */
export function parseBody(type: string | undefined, body: Uint8Array): unknown {
  if (body.length === 0) return ''
  const text = decodeText(body, type)
  if (/[/+]json\b/i.test(type ?? '') || (type === undefined && /^\s*[[{]/.test(text))) {
    try {
      const value: unknown = parseJson(text)
      return measureJson(value).depth <= maxDepth ? value : text
    } catch {
      return text
    }
  }
  const isText = type === undefined || /^text\/|[/+](xml|javascript|x-www-form-urlencoded)\b|charset/i.test(type)
  return isText || !text.includes('\ufffd') ? text : Buffer.from(body).toString('base64')
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Returns a `Retry-After` header in microseconds, at most one hour. */
function parseRetryAfter(headers: Answer['headers']): Micros | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1_000_000 : undefined
}

/** A missing record is not an error in the definition: another sample may refer to an existing one. */
function classifyStatus(status: number): FailureClass {
  if (status === 401) return 'missing_connection'
  return status === 404 || status === 410 ? 'missing_record' : 'wiring_error'
}

/** Returns the error message of a server as one line. */
function findReason(body: unknown): string {
  const reason = isObject(body) ? (body.message ?? body.error ?? body.detail) : body
  const text = typeof reason === 'string' ? reason : reason === undefined ? '' : (stringifyJson(reason) ?? '')
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

/** Returns the failure for an error response to a request with a body. Its output has the structure that flows test for. */
export function responseFailure(answer: Answer, body: unknown): StepFailure {
  const reason = findReason(answer.body)
  return new StepFailure(`The server answered ${answer.status}${reason && `: ${reason}`}`, {
    classification: classifyStatus(answer.status),
    retryAfter: parseRetryAfter(answer.headers),
    output: {
      response: { status: answer.status, body: answer.body },
      request: { body: typeof body === 'string' ? body : null },
    },
  })
}
