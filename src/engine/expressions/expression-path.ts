/** Path to a value: the name of a step (`trigger`, or `connections`), then field names and list indexes. */
export interface ExpressionPath {
  readonly root: string
  readonly keys: readonly string[]
}

const rootPattern = /[A-Za-z_$][\w$]*/y
const keyPattern =
  /\s*(?:(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)|(?:\?\.)?\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d{1,9}))\s*\])/y

/** Words that JavaScript defines, so that they never refer to a step of that name. */
const literalKeywords = new Set('true false null undefined NaN Infinity this new typeof void'.split(' '))
const cache = new Map<string, ExpressionPath | null>()
const maxCacheSize = 5000

/**
 * Parses an expression that only reads from a step's output, such as `step_1['body'].items[0]`; null for any other, which the
 * sandbox evaluates. Both must give the same value: published definitions depend on it.
 */
export function parsePath(expression: string): ExpressionPath | null {
  const known = cache.get(expression)
  if (known !== undefined) return known
  if (cache.size >= maxCacheSize) cache.clear()
  const path = parse(expression)
  // Long expressions rarely repeat and would fill the cache.
  if (expression.length <= 500) cache.set(expression, path)
  return path
}

function parse(expression: string): ExpressionPath | null {
  rootPattern.lastIndex = 0
  const root = rootPattern.exec(expression)?.[0]
  if (root === undefined || literalKeywords.has(root)) return null
  const keys: string[] = []
  let end = rootPattern.lastIndex
  while (end < expression.length) {
    keyPattern.lastIndex = end
    const match = keyPattern.exec(expression)
    if (!match) return null
    const [, name, single, double, index] = match
    const key = name ?? (index === undefined ? unescapeQuotes(single ?? double ?? '') : String(Number(index)))
    if (key === null) return null
    keys.push(key)
    end = keyPattern.lastIndex
  }
  return { root, keys }
}

/** Unescapes quotes and backslashes. Returns null for other escapes, which JavaScript must evaluate. */
function unescapeQuotes(text: string): string | null {
  if (!text.includes('\\')) return text
  return /\\[^'"\\]/.test(text) ? null : text.replace(/\\(.)/g, '$1')
}

/** Returns the value at the end of a path, or undefined. Reads only own properties, so prototypes are unreachable. */
export function resolvePath(start: unknown, keys: readonly string[]): unknown {
  let at = start
  for (const key of keys) {
    if (at === undefined || at === null) return undefined
    if (typeof at === 'string') at = key === 'length' || /^\d+$/.test(key) ? Reflect.get(Object(at), key) : undefined
    else if (typeof at === 'object' && Object.hasOwn(at, key)) at = (at as Record<string, unknown>)[key]
    else return undefined
  }
  return at
}
