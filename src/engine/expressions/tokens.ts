import { readString } from './quoted-text.ts'

/** Part of a text: literal text, or the content of a `{{ }}`. */
export type TemplatePart = { readonly text: string } | { readonly token: string }

/** Number of `{{` without balanced braces after which braces are not counted, so that the time stays proportional. */
const maxUnbalanced = 5

/**
 * Splits a text into literal parts and tokens. A token ends at the `}}` that closes its `{{`: braces inside it are
 * counted, except in strings. If its braces are not balanced, it is the shortest `{{...}}` on one line; unclosed braces
 * are literal text.
 * Runs in linear time for any text. Published definitions depend on the result: another one would change what they do.
 */
export function splitTokens(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let done = 0
  let newline = -1
  let unbalanced = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', open)) {
    const shortest = text.indexOf('}}', open + 2)
    if (shortest < 0) break
    let close = unbalanced < maxUnbalanced ? findClosingBraces(text, open + 2, shortest) : -1
    if (close < 0) {
      unbalanced += 1
      close = shortest
      if (newline < open) newline = nextLineEnd(text, open)
      if (newline < close) {
        open = newline
        continue
      }
    }
    if (open > done) parts.push({ text: text.slice(done, open) })
    parts.push({ token: text.slice(open + 2, close).trim() })
    open = done = close + 2
  }
  if (done < text.length) parts.push({ text: text.slice(done) })
  return parts
}

const specialPattern = /[{}'"`]/g

function spansTokens(string: string): boolean {
  const end = string.indexOf('}}')
  return end >= 0 && string.indexOf('{{', end) >= 0
}

/** Returns the position of the `}}` that closes a token whose content starts at `from`; -1 if there is none. */
function findClosingBraces(text: string, from: number, shortest: number): number {
  const content = text.slice(from, shortest)
  if (!content.includes('{') && !/['"`]/.test(content)) return shortest
  let depth = 0
  /** Up to here, a quote of the same kind begins no string that ends. */
  const unclosedUntil: Record<string, number> = {}
  specialPattern.lastIndex = from
  for (let match = specialPattern.exec(text); match; match = specialPattern.exec(text)) {
    const [character] = match
    const at = match.index
    if (character === '{') depth += 1
    else if (character === '}') {
      if (depth > 0) depth -= 1
      else if (text[at + 1] === '}') return at
    } else if (at >= (unclosedUntil[character] ?? 0)) {
      const { end, isClosed } = readString(text, at)
      // What seems to be a string with the end of a token and the start of another has apostrophes for quotes.
      if (isClosed && !spansTokens(text.slice(at, end))) specialPattern.lastIndex = end
      else unclosedUntil[character] = end
    }
  }
  return -1
}

function nextLineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? Infinity : at
}

/** Returns whether a text has a token. */
export const hasToken = (text: string): boolean => text.includes('{{') && splitTokens(text).some((it) => 'token' in it)

/** Yields the content of all tokens in a value, with the path of the text that contains each. */
export function* findTokens(
  value: unknown,
  path: readonly PropertyKey[] = [],
): Generator<{ readonly token: string; readonly path: readonly PropertyKey[]; readonly alone: boolean }> {
  const stack = [{ value, path }]
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { value: current, path: at } = item
    if (typeof current === 'string') {
      if (!current.includes('{{')) continue
      const parts = splitTokens(current)
      for (const part of parts) if ('token' in part) yield { token: part.token, path: at, alone: parts.length === 1 }
    } else if (typeof current === 'object' && current !== null) {
      const entries = Array.isArray(current) ? [...current.entries()] : Object.entries(current)
      for (const [key, inner] of entries.reverse()) stack.push({ value: inner, path: [...at, key] })
    }
  }
}
