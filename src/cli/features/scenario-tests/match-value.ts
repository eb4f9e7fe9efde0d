import { isObject } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'

const slashes = /^\/(.+)\/([a-z]*)$/s

/** Compiles a regular expression, or a text in slashes unless `isWhole`. Returns why it is invalid as text. */
export function compilePattern(text: string, isWhole: boolean): RegExp | string | undefined {
  const [, body, flags = ''] = slashes.exec(text) ?? []
  if (body === undefined && !isWhole) return undefined
  try {
    return new RegExp(body ?? text, `${flags.replace(/[gyu]/g, '')}u`)
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Returns whether a text contains another, in any case, or matches `/.../`. Scenarios, tests of automations and rubrics that
 * users commit rely on these rules, also those of `valueMatches`: another one would change their results.
 */
export function textContains(text: string, wanted: string): boolean {
  const pattern = compilePattern(wanted, false)
  return typeof pattern === 'object' ? pattern.test(text) : text.toLowerCase().includes(wanted.toLowerCase())
}

/** Returns whether a value is as expected: equal as text or JSON, or matching `/.../`; objects may have more fields. */
export function valueMatches(value: unknown, expected: unknown): boolean {
  if (typeof expected === 'string') {
    if (value === undefined) return false
    const shown = typeof value === 'string' ? value : stringifyJson(value)
    const pattern = compilePattern(expected, false)
    return typeof pattern === 'object' ? pattern.test(shown) : shown === expected
  }
  if (Array.isArray(expected))
    return (
      Array.isArray(value) && value.length === expected.length && expected.every((it, n) => valueMatches(value[n], it))
    )
  if (isObject(expected))
    return isObject(value) && Object.entries(expected).every(([name, child]) => valueMatches(value[name], child))
  return value === expected
}
