import { stringifyJson } from '../../node/json.ts'
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
