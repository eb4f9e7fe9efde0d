import { defaultExtraction } from '../../contract/assistants/default-extraction.ts'
import type { TranscriptLine } from '../../providers/ports/providers.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import type { Variables } from '../assistants/assistant-variables.ts'

type Field = NonNullable<AssistantFields['post_call_schema']>[number]

const refusalPattern = /\b(no|not|never|nope|cancel|cannot|can't|don't|won't)\b/i

/** The words after `name is`, `name: ` or `my name is`, where a customer said so. */
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

/** A value as its type wants it; null where it cannot be. */
function coerceToType({ type }: Field, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (type === 'bool') return toBoolean(value)
  if (type === 'number') return Number.isFinite(Number(value)) && value !== '' ? Number(value) : null
  return typeof value === 'string' ? value : JSON.stringify(value)
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

/** What is found out where an assistant has no schema. */
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
 * What an assistant was to find out, a value for each variable of its schema, or `status` and `summary` without one. Found by rules, the same every
 * time: what is given (by a script, or by a language model that has read it), what the customer names (`budget is 200`), what was known before; `bool` without any of these is whether the customer's last
 * words refuse nothing.
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
