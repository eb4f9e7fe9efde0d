import stringWidth from 'string-width'

/** Characters of one cell each: a fast path for most text. */
const plain = /^[ -~\xa1-\xac\xae-\u02af\u0391-\u03c9\u0400-\u0482\u048a-\u052f]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches color codes
const colorCode = /\x1b\[\d+m/g

/** Returns the width of a line in cells: two for wide characters and emoji, none for color. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length
  const bare = text.replace(colorCode, '')
  return plain.test(bare) ? bare.length : stringWidth(bare)
}

let graphemes: Intl.Segmenter | undefined

/** Truncates text without color to `cells`, including an ellipsis. Never splits a character. */
export function truncateText(text: string, cells: number): string {
  if (textWidth(text) <= cells) return text
  if (plain.test(text)) return `${text.slice(0, Math.max(0, cells - 1))}…`
  let truncated = ''
  let used = 0
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  for (const { segment } of graphemes.segment(text)) {
    used += textWidth(segment)
    if (used > cells - 1) break
    truncated += segment
  }
  return `${truncated}…`
}
