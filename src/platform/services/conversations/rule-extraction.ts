import { defaultExtraction } from '../../../contract/assistants/default-extraction.ts'
import type { TranscriptLine } from '../../../engine/ports/telephony.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'

type Field = NonNullable<AssistantFields['post_call_schema']>[number]

const refusalPattern = /\b(no|not|never|nope|cancel|cannot|can't|don't|won't)\b/i

/** Returns the words after `name is`, `name: ` or `my name is` in the customer's last message that contains them. */
function findStatedValue(name: string, lines: readonly TranscriptLine[]): string | undefined {
  const words = name.replaceAll('_', '[ _-]')
  const pattern = new RegExp(`\\b${words}\\b\\s*(?:is|are|=|:|will be|would be)\\s*([^.,;!?\\n]{1,100})`, 'i')
  for (const { role, content } of lines.toReversed())
    if (role === 'user') for (const match of [pattern.exec(content)]) if (match?.[1]) return match[1].trim()
  return undefined
}

const firstNumber = (lines: readonly TranscriptLine[]): number | null => {
  for (const { role, content } of lines.toReversed()) {
    const found = role === 'user' ? /-?\d+(?:\.\d+)?/.exec(content) : null
    if (found) return Number(found[0])
  }
  return null
}

const toBoolean = (value: unknown): boolean => value === true || /^(true|yes|1|y)$/i.test(String(value))

/** Converts a value to the type of its field; null when that is impossible. */
function coerceToType({ type }: Field, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (type === 'bool') return toBoolean(value)
  if (type === 'number') return Number.isFinite(Number(value)) && value !== '' ? Number(value) : null
  return typeof value === 'string' ? value : stringifyJson(value)
}

function extractField(field: Field, lines: readonly TranscriptLine[], variables: Variables): unknown {
  const stated = findStatedValue(field.name, lines)
  if (stated !== undefined) return coerceToType(field, stated)
  if (Object.hasOwn(variables, field.name)) return coerceToType(field, variables[field.name])
  const customer = lines.filter((it) => it.role === 'user')
  if (field.type === 'bool') return customer.length > 0 && !refusalPattern.test(customer.at(-1)?.content ?? '')
  if (field.type === 'number') return firstNumber(lines)
  return null
}

/** Fields that are extracted for an assistant without a schema. */
export const defaultFields: readonly Field[] = defaultExtraction

const defaultSummary = (lines: readonly TranscriptLine[]): Record<string, unknown> => {
  const customer = lines.filter((it) => it.role === 'user')
  const last = customer.at(-1)?.content
  return {
    status: customer.length > 0,
    summary: last === undefined ? 'The customer said nothing.' : `The customer said last: ${last}`,
  }
}

/**
 * Extracts the values of the assistant's schema by rules, or `status` and `summary` without a schema. The result is
 * deterministic. Sources in order of precedence: values in `given` (from a script or a language model), a statement of
 * the customer (`budget is 200`), and `variables`. A `bool` without any of these is true if the customer's last message
 * refuses nothing.
 */
export function extractByRules(
  { post_call_schema }: Partial<AssistantFields>,
  lines: readonly TranscriptLine[],
  variables: Variables,
  given: Variables = {},
): Record<string, unknown> {
  const schema = post_call_schema ?? []
  if (schema.length === 0) return { ...defaultSummary(lines), ...given }
  return Object.fromEntries(
    schema.map((field) => [
      field.name,
      Object.hasOwn(given, field.name) ? coerceToType(field, given[field.name]) : extractField(field, lines, variables),
    ]),
  )
}
