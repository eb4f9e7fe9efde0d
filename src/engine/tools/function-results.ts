import { isObject } from '../../contract/values/json-object.ts'
import { isError } from '../../node/is-error.ts'
import { stringifyJson } from '../../node/json.ts'
import { parseBody } from '../pieces/http-response.ts'
import { StepFailure } from '../pieces/step-failure.ts'
import type { HttpResponse } from '../ports/http.ts'

/** The result of a function call. */
export type FunctionResult = Readonly<Record<string, unknown>>

/** Maximum characters of a result as JSON. It is stored with the message and sent to the model. */
const maxLength = 32_000

/**
 * Returns a value as the object that `function_calls` shows. Values other than objects are placed under `result`. A
 * result that is too long is truncated.
 */
export function toResult(value: unknown): FunctionResult {
  const result = isObject(value)
    ? value
    : value === '' || value === undefined || value === null
      ? {}
      : { result: value }
  const text = stringifyJson(result)
  return text.length <= maxLength ? result : { truncated: true, result: text.slice(0, maxLength) }
}

/** Returns the response of a tool's server. An error response contains its status and its body. */
export function toHttpResult({ status, headers, body }: HttpResponse): FunctionResult {
  const value = parseBody(headers['content-type'], body)
  if (status >= 200 && status < 300) return toResult(value)
  return { error: `The server returned status ${status}.`, status, ...(value !== '' && { answer: toResult(value) }) }
}

/** Returns an error as a result for the model, so that the conversation continues. */
export function toErrorResult(error: unknown): FunctionResult {
  if (error instanceof StepFailure) return { error: error.message }
  return { error: isError(error) ? error.message : 'The function failed.' }
}
