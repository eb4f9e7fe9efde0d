import { isObject } from '../../flow/definition/node.ts'
import { parseBody } from '../../flow/pieces/http-response.ts'
import { type HttpResponse, StepFailure } from '../../flow/pieces/ports.ts'

export type FunctionResult = Readonly<Record<string, unknown>>

/** Characters of a result as JSON: what is kept with the message, and what the model reads. */
const maxLength = 32_000

/** Anything as the object that `function_calls` shows: objects as they are, everything else under `result`. Too much of it is cut. */
export function toResult(value: unknown): FunctionResult {
  const result = isObject(value)
    ? value
    : value === '' || value === undefined || value === null
      ? {}
      : { result: value }
  const text = JSON.stringify(result)
  return text.length <= maxLength ? result : { truncated: true, result: text.slice(0, maxLength) }
}

/** What a server answered to a tool. A refusal says its status, and what it says itself. */
export function toHttpResult({ status, headers, body }: HttpResponse): FunctionResult {
  const value = parseBody(headers['content-type'], body)
  if (status >= 200 && status < 300) return toResult(value)
  return { error: `The server returned status ${status}.`, status, ...(value !== '' && { answer: toResult(value) }) }
}

/** What went wrong, as a result: the model is told, and the conversation goes on. */
export function toErrorResult(error: unknown): FunctionResult {
  if (error instanceof StepFailure) return { error: error.message }
  return { error: error instanceof Error ? error.message : 'The function failed.' }
}
