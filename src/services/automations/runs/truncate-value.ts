/** Maximum characters of one text, of the name of a field, items of one list, and characters of a whole value. */
const limits = { text: 2000, name: 200, items: 50, whole: 16_000 } as const

/** A value that may have been truncated. */
export interface TruncatedValue {
  readonly value: unknown
  readonly isTruncated: boolean
}

/** Returns a value with long texts, names and lists truncated. Each truncation says how much is missing. */
export function truncateValue(value: unknown): TruncatedValue {
  let remainingLength: number = limits.whole
  let isTruncated = false

  function truncate(it: unknown): unknown {
    if (typeof it === 'string') return truncateText(it)
    if (Array.isArray(it)) return truncateList(it)
    if (typeof it !== 'object' || it === null) {
      remainingLength -= 8
      return it
    }
    const entries = Object.entries(it)
    const shown: [string, unknown][] = []
    for (const [name, part] of entries) {
      if (remainingLength <= 0) break
      const shownName = shorten(name, limits.name)
      remainingLength -= shownName.length
      shown.push([shownName, truncate(part)])
    }
    const missing = entries.length - shown.length
    if (missing > 0) {
      isTruncated = true
      shown.push(['…', `${missing} more fields`])
    }
    return Object.fromEntries(shown)
  }

  function truncateText(text: string): string {
    const length = Math.max(0, Math.min(limits.text, remainingLength))
    remainingLength -= Math.min(text.length, length)
    return shorten(text, length)
  }

  function shorten(text: string, length: number): string {
    if (text.length <= length) return text
    isTruncated = true
    return `${text.slice(0, length)}… (${text.length - length} more characters)`
  }

  function truncateList(list: readonly unknown[]): unknown[] {
    const shown: unknown[] = []
    for (const it of list.slice(0, limits.items)) {
      if (remainingLength <= 0) break
      shown.push(truncate(it))
    }
    if (shown.length === list.length) return shown
    isTruncated = true
    return [...shown, `… (${list.length - shown.length} more items)`]
  }

  return { value: truncate(value), isTruncated }
}
