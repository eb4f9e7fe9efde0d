import type { Endpoint, SuccessProof } from '../contract/endpoint/endpoint.ts'
import type { PlainResponse } from '../contract/endpoint/http-message.ts'
import { isObject } from '../contract/values/json-object.ts'
import { parseJson, stringifyJson, withoutByteOrderMark } from '../node/json.ts'

/** The body of a response: its JSON, or why it is not JSON. */
export type ResponseBody = { readonly json: unknown } | { readonly fault: 'empty' | 'not_json' | 'cut' }

/** Parses a body leniently: a byte order mark and surrounding whitespace are accepted. */
export function readBody({ body, headers }: PlainResponse): ResponseBody {
  const text = withoutByteOrderMark(body).trim()
  if (text === '') return { fault: 'empty' }
  try {
    return { json: parseJson(text) }
  } catch {
    return { fault: /json/i.test(headers['content-type'] ?? '') && /^[[{"]/.test(text) ? 'cut' : 'not_json' }
  }
}

/**
 * Returns what an output lacks that callers rely on, as a phrase; undefined when it is complete. Only the list or the record,
 * and the proof of a write, are checked: other content may differ from the contract. Sentences
 * have the phrase after "without" (failure-from-response.ts).
 */
export function findMissingPart(endpoint: Endpoint, answer: unknown, input?: unknown): string | undefined {
  if (endpoint.singleItem !== undefined && isObject(property(answer, endpoint.singleItem))) return undefined
  if (endpoint.items !== undefined) {
    const items = endpoint.items === '' ? answer : property(answer, endpoint.items)
    const name = endpoint.items === '' ? 'the list' : `the list "${endpoint.items}"`
    if (!Array.isArray(items)) return name
    if (!items.every(isObject)) return `an object for each item of ${name}`
  }
  if (endpoint.record !== undefined && !isObject(property(answer, endpoint.record))) return `"${endpoint.record}"`
  if (!isObject(answer) && !Array.isArray(answer)) return 'the JSON object'
  if (endpoint.risk === 'spends' && property(answer, 'success') === false) return '"success": true'
  for (const [path, expected] of Object.entries(requiredProof(endpoint))) {
    const value = path.split('.').reduce(property, answer)
    if (typeof expected === 'object') {
      const inputValue = property(input, expected.inputField)
      if (digitsOf(value) !== digitsOf(inputValue)) return `"${path}": ${stringifyJson(inputValue)}`
    } else if (!proofChecks[expected](value)) return `"${path}"`
  }
  return undefined
}

/** Returns the required proof of a write: by default the id of its record, if the record has one in the contract. */
function requiredProof({ successProof, record, risk, output }: Endpoint): NonNullable<Endpoint['successProof']> {
  if (successProof || risk === 'read' || record === undefined) return successProof ?? {}
  return property(schemaShape(property(schemaShape(output), record)), 'id') === undefined
    ? {}
    : { [`${record}.id`]: 'id' }
}

const schemaShape = (schema: unknown): unknown =>
  typeof schema === 'object' && schema !== null && 'shape' in schema ? schema.shape : undefined
const digitsOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? String(value).replaceAll(/\D/g, '')
    : ''

const proofChecks: Readonly<Record<Extract<SuccessProof, string>, (value: unknown) => boolean>> = {
  id: (it) => typeof it === 'number' || typeof it === 'bigint' || (typeof it === 'string' && it !== ''),
  text: (it) => typeof it === 'string',
  count: (it) => /^\d+$/.test(digitsOf(it)) && Number.isInteger(Number(it)) && Number(it) >= 0,
  null: (it) => it === null,
  'text or null': (it) => it === null || typeof it === 'string',
  list: Array.isArray,
}

/** Returns a property of a JSON object; undefined for other values. */
export const property = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
