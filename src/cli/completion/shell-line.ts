/** An unfinished command line, split like a POSIX shell does. */
export interface TypedLine {
  /** Words without their quotes. The last one is unfinished; it is empty after a space. */
  readonly words: readonly string[]
  /** The last word with its quotes. */
  readonly raw: string
  /** The open quote at the end. */
  readonly quote: '' | '"' | "'"
  /** The unquoted part of the last word before the open quote. */
  readonly beforeQuote: string
}

/** Splits a line at whitespace outside quotes. */
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

/**
 * Quotes a candidate for bash, which replaces the text after an open quote, or after the last `=` or `:`. Returns
 * undefined if it cannot be quoted.
 */
export function quoteForBash(candidate: string, { raw, quote, beforeQuote }: TypedLine): string | undefined {
  if (quote === "'") return candidate.includes("'") ? undefined : candidate.slice(beforeQuote.length)
  if (quote === '"') return candidate.slice(beforeQuote.length).replaceAll(/["\\$`]/g, '\\$&')
  const escaped = candidate.replaceAll(/[^\w@%+=:,./-]/g, '\\$&')
  const before = raw.replace(/[^=:]*$/, '')
  return escaped.startsWith(before) ? escaped.slice(before.length) : escaped
}
