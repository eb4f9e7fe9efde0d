/** A way through values: the name of a step, then names of fields and places in lists. */
export interface Path {
  readonly root: string
  readonly keys: readonly string[]
}

const rootAt = /[A-Za-z_$][\w$]*/y
const keyAt = /\s*(?:(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)|(?:\?\.)?\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d{1,9}))\s*\])/y

/** What these mean is decided by the language, not by a step of that name. */
const words = new Set('true false null undefined NaN Infinity this new typeof void'.split(' '))
const cache = new Map<string, Path | null>()
const mostCached = 5000

/** An expression that only goes from a step into its output, `step_1['body'].items[0]`; null for any other. */
export function pathOf(expression: string): Path | null {
  const known = cache.get(expression)
  if (known !== undefined) return known
  if (cache.size >= mostCached) cache.clear()
  const path = read(expression)
  // What came once and is long would only fill the room.
  if (expression.length <= 500) cache.set(expression, path)
  return path
}

function read(expression: string): Path | null {
  rootAt.lastIndex = 0
  const root = rootAt.exec(expression)?.[0]
  if (root === undefined || words.has(root)) return null
  const keys: string[] = []
  let end = rootAt.lastIndex
  while (end < expression.length) {
    keyAt.lastIndex = end
    const match = keyAt.exec(expression)
    if (!match) return null
    const [, name, single, double, index] = match
    const key = name ?? (index === undefined ? unescaped(single ?? double ?? '') : String(Number(index)))
    if (key === null) return null
    keys.push(key)
    end = keyAt.lastIndex
  }
  return { root, keys }
}

/** Only quotes and backslashes are escaped here; other escapes are left to those who know the language. */
function unescaped(text: string): string | null {
  if (!text.includes('\\')) return text
  return /\\[^'"\\]/.test(text) ? null : text.replace(/\\(.)/g, '$1')
}

/** What is at the end of a path; undefined where it leads nowhere. Only own properties are seen, so no prototype is ever reached. */
export function follow(start: unknown, keys: readonly string[]): unknown {
  let at = start
  for (const key of keys) {
    if (at === undefined || at === null) return undefined
    if (typeof at === 'string') at = key === 'length' || /^\d+$/.test(key) ? (at as unknown as Record<string, unknown>)[key] : undefined
    else if (typeof at === 'object' && Object.hasOwn(at, key)) at = (at as Record<string, unknown>)[key]
    else return undefined
  }
  return at
}
