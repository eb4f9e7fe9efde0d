/** Characters of one text, items of one list, and characters of a whole value. */
const limits = { text: 2000, items: 50, whole: 16_000 } as const

export interface Shortened {
  readonly value: unknown
  readonly isShortened: boolean
}

/** A value with long texts and lists cut; each cut says how much is missing. */
export function shorten(value: unknown): Shortened {
  let left: number = limits.whole
  let isShortened = false

  function cut(it: unknown): unknown {
    if (typeof it === 'string') return cutText(it)
    if (Array.isArray(it)) return cutList(it)
    if (typeof it !== 'object' || it === null) {
      left -= 8
      return it
    }
    const entries = Object.entries(it)
    const shown: [string, unknown][] = []
    for (const [name, part] of entries) {
      if (left <= 0) break
      left -= name.length
      shown.push([name, cut(part)])
    }
    const missing = entries.length - shown.length
    if (missing > 0) {
      isShortened = true
      shown.push(['…', `${missing} more fields`])
    }
    return Object.fromEntries(shown)
  }

  function cutText(text: string): string {
    const length = Math.max(0, Math.min(limits.text, left))
    left -= Math.min(text.length, length)
    if (text.length <= length) return text
    isShortened = true
    return `${text.slice(0, length)}… (${text.length - length} more characters)`
  }

  function cutList(list: readonly unknown[]): unknown[] {
    const shown: unknown[] = []
    for (const it of list.slice(0, limits.items)) {
      if (left <= 0) break
      shown.push(cut(it))
    }
    if (shown.length === list.length) return shown
    isShortened = true
    return [...shown, `… (${list.length - shown.length} more items)`]
  }

  return { value: cut(value), isShortened }
}
