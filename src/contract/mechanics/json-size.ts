const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** Bytes a value takes as JSON, and how deep its lists and objects stand in one another; counted without recursion, so that no depth is too much. Stops counting past `limit` bytes. */
export function measureJson(value: unknown, limit = Infinity): { readonly bytes: number; readonly depth: number } {
  let bytes = 0
  let depth = 0
  const stack: { readonly value: unknown; readonly level: number }[] = [{ value, level: 1 }]
  for (let item = stack.pop(); item && bytes <= limit; item = stack.pop()) {
    const { value: it, level } = item
    if (typeof it !== 'object' || it === null) {
      bytes += byteLength(it)
      continue
    }
    depth = Math.max(depth, level)
    const entries = Array.isArray(it)
      ? it.map((inner) => [undefined, inner] as const)
      : Object.entries(it).filter(([, inner]) => inner !== undefined)
    bytes += 2 + Math.max(0, entries.length - 1)
    for (const [key, inner] of entries) {
      if (key !== undefined) bytes += byteLength(key) + 1
      stack.push({ value: inner, level: level + 1 })
    }
  }
  return { bytes, depth }
}
