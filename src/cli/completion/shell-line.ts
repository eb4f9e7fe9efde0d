/** A command line that is being typed, as a POSIX shell splits it. */
export interface TypedLine {
  /** The words without their quotes; the last one is unfinished, and empty after a blank. */
  readonly words: readonly string[]
  /** The last word as it was typed. */
  readonly raw: string
  /** The quote that is open at the end. */
  readonly quote: '' | '"' | "'"
  /** What of the last word stands before that quote, without quotes. */
  readonly beforeQuote: string
}

/** Splits a line at blanks outside quotes. */
export function parseShellLine(line: string): TypedLine {
  const words: string[] = []
  let [word, raw, beforeQuote] = ['', '', '']
  let quote: TypedLine['quote'] = ''
  let hasWord = false
  for (let n = 0; n < line.length; n++) {
    const it = line[n] as string
    if (quote === '' && /\s/.test(it)) {
      if (hasWord) words.push(word)
      hasWord = false
      word = raw = ''
      continue
    }
    hasWord = true
    raw += it
    if (quote === '' && (it === '"' || it === "'")) {
      quote = it
      beforeQuote = word
    } else if (it === quote) quote = ''
    else if (it === '\\' && quote !== "'" && n + 1 < line.length) {
      const next = line[++n] as string
      raw += next
      word += quote === '"' && !/["\\$`]/.test(next) ? it + next : next
    } else word += it
  }
  return { words: [...words, word], raw, quote, beforeQuote }
}

/** A candidate as bash puts it in place of what it takes for the current word: after an open quote, or after the last `=` or `:`. Undefined where it cannot be written. */
export function quoteForBash(candidate: string, { raw, quote, beforeQuote }: TypedLine): string | undefined {
  if (quote === "'") return candidate.includes("'") ? undefined : candidate.slice(beforeQuote.length)
  if (quote === '"') return candidate.slice(beforeQuote.length).replaceAll(/["\\$`]/g, '\\$&')
  const escaped = candidate.replaceAll(/[^\w@%+=:,./-]/g, '\\$&')
  const before = raw.replace(/[^=:]*$/, '')
  return escaped.startsWith(before) ? escaped.slice(before.length) : escaped
}
