import type { Endpoint } from '../contract/endpoint.ts'
import type { PlainResponse } from '../contract/message.ts'

/** The body of an answer: its JSON, or why it is none. */
export type Body = { readonly json: unknown } | { readonly fault: 'empty' | 'not_json' | 'cut' }

/** Reads a body leniently: a byte order mark and surrounding blanks are no reason to fail. */
export function readBody({ body, headers }: PlainResponse): Body {
  const text = body.replace(/^\uFEFF/, '').trim()
  if (text === '') return { fault: 'empty' }
  try {
    return { json: JSON.parse(text) }
  } catch {
    return { fault: /json/i.test(headers['content-type'] ?? '') && /^[[{"]/.test(text) ? 'cut' : 'not_json' }
  }
}

/**
 * What an answer lacks that its readers rely on, as a phrase; undefined when it has all of it.
 * Only the list or the record itself is looked for: everything inside may be more or less than the contract knows.
 */
export function missingPart(endpoint: Endpoint, answer: unknown): string | undefined {
  if (endpoint.alone !== undefined && isObject(property(answer, endpoint.alone))) return undefined
  if (endpoint.items !== undefined) {
    const items = endpoint.items === '' ? answer : property(answer, endpoint.items)
    const name = endpoint.items === '' ? 'the list' : `the list "${endpoint.items}"`
    if (!Array.isArray(items)) return name
    if (!items.every(isObject)) return `an object for each item of ${name}`
  }
  if (endpoint.record !== undefined && !isObject(property(answer, endpoint.record))) return `"${endpoint.record}"`
  return isObject(answer) || Array.isArray(answer) ? undefined : 'the JSON object'
}

export const isObject = (it: unknown): it is Record<string, unknown> => typeof it === 'object' && it !== null && !Array.isArray(it)
export const property = (it: unknown, name: string): unknown => (isObject(it) && Object.hasOwn(it, name) ? it[name] : undefined)
