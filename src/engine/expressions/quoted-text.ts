/** Part of a source: a string with its quotes, or a comment. */
export interface QuotedRange {
  readonly start: number
  readonly end: number
  readonly isComment: boolean
}

/**
 * What is found. In an expression, only strings in single and double quotes, because templates contain names of steps.
 * In code, also templates and comments.
 */
type SourceKind = 'expression' | 'code'

const openers: Readonly<Record<SourceKind, RegExp>> = { expression: /['"]/g, code: /['"`]|\/[*/]/g }

/** The rest of a string or comment up to its end, which is missing in one that does not end. */
const contents: Readonly<Record<string, RegExp>> = {
  "'": /(?:[^'\\\n]|\\[\s\S])*('?)/y,
  '"': /(?:[^"\\\n]|\\[\s\S])*("?)/y,
  '`': /(?:[^`\\]|\\[\s\S])*(`?)/y,
  '//': /[^\n]*()/y,
}

/**
 * Finds strings and comments in JavaScript, in order. A quote or comment that never ends is ordinary text, because the
 * quote may be part of a regular expression. The time is proportional to the length, also for hostile text. Masks, lint and the
 * resolution of expressions use it: another result would change what published definitions do.
 */
export function findQuotedRanges(source: string, kind: SourceKind): QuotedRange[] {
  const ranges: QuotedRange[] = []
  // Up to here, a further quote of the same kind is part of a string that does not end, and does not end either.
  const unclosedUntil: Record<string, number> = {}
  for (let from = 0; ; ) {
    const pattern = openers[kind]
    pattern.lastIndex = from
    const match = pattern.exec(source)
    if (!match) return ranges
    const [opener] = match
    const start = match.index
    const { end, isClosed } =
      start < (unclosedUntil[opener] ?? 0) ? { end: 0, isClosed: false } : readQuoted(source, opener, start)
    from = isClosed ? end : start + 1
    if (isClosed) ranges.push({ start, end, isComment: opener.startsWith('/') })
    else unclosedUntil[opener] = Math.max(end, unclosedUntil[opener] ?? 0)
  }
}

function readQuoted(source: string, opener: string, start: number): { end: number; isClosed: boolean } {
  if (opener === '/*') {
    const end = source.indexOf('*/', start + 2)
    return end < 0 ? { end: source.length, isClosed: false } : { end: end + 2, isClosed: true }
  }
  const content = contents[opener] as RegExp
  content.lastIndex = start + opener.length
  const closed = content.exec(source)?.[1] === opener
  return { end: content.lastIndex, isClosed: closed || opener === '//' }
}

/** Returns the end of the string that begins with the quote at `start`, and whether it is closed. */
export const readString = (source: string, start: number): { end: number; isClosed: boolean } =>
  readQuoted(source, source[start] ?? '', start)

/** Replaces strings and comments in JavaScript. */
export function replaceQuoted(
  source: string,
  kind: SourceKind,
  replace: (text: string, isComment: boolean) => string,
): string {
  let result = ''
  let from = 0
  for (const { start, end, isComment } of findQuotedRanges(source, kind)) {
    result += source.slice(from, start) + replace(source.slice(start, end), isComment)
    from = end
  }
  return result + source.slice(from)
}
