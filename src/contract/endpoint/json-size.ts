import { stringifyJson } from '../../node/json.ts'

const byteLength = (value: unknown): number => Buffer.byteLength(stringifyJson(value) ?? '')

/**
 * Returns the size of a value as JSON in bytes, and the nesting depth of its lists and objects. Works without
 * recursion, so that deep values do not exhaust the stack. Stops counting past `limit` bytes. The limits of requests, of
 * definitions and of responses of HTTP steps are measured with it: a larger result would refuse what was accepted before.
 */
export function measureJson(value: unknown, limit = Infinity): { readonly bytes: number; readonly depth: number } {
  let bytes = 0
  let depth = 0
  const stack: { readonly value: unknown; readonly level: number }[] = [{ value, level: 1 }]
  for (let item = stack.pop(); item && bytes <= limit; item = stack.pop()) {
    const { value: current, level } = item
    if (typeof current !== 'object' || current === null) {
      bytes += byteLength(current)
      continue
    }
    depth = Math.max(depth, level)
    const entries = Array.isArray(current)
      ? current.map((inner) => [undefined, inner] as const)
      : Object.entries(current).filter(([, inner]) => inner !== undefined)
    bytes += 2 + Math.max(0, entries.length - 1)
    for (const [key, inner] of entries) {
      if (key !== undefined) bytes += byteLength(key) + 1
      stack.push({ value: inner, level: level + 1 })
    }
  }
  return { bytes, depth }
}
