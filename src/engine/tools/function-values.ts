import { isObject } from '../../contract/values/json-object.ts'
import { isError } from '../../node/is-error.ts'
import { stringifyJson } from '../../node/json.ts'
import { parseBody } from '../pieces/http-response.ts'
import { StepFailure } from '../pieces/step-failure.ts'
import type { HttpResponse } from '../ports.ts'

/** A parameter of a mid-call tool as its schema defines it (section 2.2). */
export interface ToolParameter {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly required: boolean
}

/** Arguments of a function call by parameter name. */
export type FunctionArguments = Readonly<Record<string, unknown>>

const jsonTypes: Readonly<Record<string, string>> = { number: 'number', float: 'number', boolean: 'boolean' }

/** Returns the parameters as a JSON Schema for the model. */
export const toJsonSchema = (parameters: readonly ToolParameter[]): Record<string, unknown> => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, type, description }) => [name, { type: jsonTypes[type] ?? 'string', description }]),
  ),
  required: parameters.filter((it) => it.required).map((it) => it.name),
})

/**
 * Converts the model's arguments to the types of the schema. Arguments outside the schema and empty optional ones are
 * omitted.
 * @throws Error with a message for the model, for a missing argument or a wrong type
 */
export function parseArguments(parameters: readonly ToolParameter[], given: FunctionArguments): FunctionArguments {
  const typed: Record<string, unknown> = {}
  for (const { name, type, required } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined && value !== null && value !== '') typed[name] = parseValue(name, type, value)
    else if (required) throw new Error(`The parameter ${name} is required.`)
  }
  return typed
}

/** Converts one argument. Models sometimes write numbers as text, and text as numbers. */
function parseValue(name: string, type: string, value: unknown): unknown {
  switch (jsonTypes[type]) {
    case 'number': {
      if (typeof value === 'bigint') return value
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number === 'number' && Number.isFinite(number)) return number
      throw new Error(`The parameter ${name} must be a number.`)
    }
    case 'boolean':
      if (typeof value === 'boolean') return value
      if (/^(true|false)$/i.test(String(value))) return String(value).toLowerCase() === 'true'
      throw new Error(`The parameter ${name} must be true or false.`)
    default:
      return typeof value === 'string' ? value : stringifyJson(value)
  }
}

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

/** Returns an error as a result for the model, so that the conversation continues. It is stored with the message, like other results. */
export function toErrorResult(error: unknown): FunctionResult {
  if (error instanceof StepFailure) return { error: error.message }
  return { error: isError(error) ? error.message : 'The function failed.' }
}
