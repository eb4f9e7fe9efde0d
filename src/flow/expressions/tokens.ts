/** Part of a text: literal text, or the content of a `{{ }}`. */
export type TemplatePart = { readonly text: string } | { readonly token: string }

/**
 * Splits a text into literal parts and tokens. A token is the shortest `{{...}}` on one line; unclosed braces are
 * literal text.
 * Runs in linear time for any text.
 */
export function splitTokens(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let done = 0
  let newline = -1
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', open)) {
    const close = text.indexOf('}}', open + 2)
    if (close < 0) break
    if (newline < open) newline = nextLineEnd(text, open)
    if (newline < close) {
      open = newline
      continue
    }
    if (open > done) parts.push({ text: text.slice(done, open) })
    parts.push({ token: text.slice(open + 2, close).trim() })
    open = done = close + 2
  }
  if (done < text.length) parts.push({ text: text.slice(done) })
  return parts
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
    const { value: it, path: at } = item
    if (typeof it === 'string') {
      if (!it.includes('{{')) continue
      const parts = splitTokens(it)
      for (const part of parts) if ('token' in part) yield { token: part.token, path: at, alone: parts.length === 1 }
    } else if (typeof it === 'object' && it !== null) {
      const entries = Array.isArray(it) ? [...it.entries()] : Object.entries(it)
      for (const [key, inner] of entries.reverse()) stack.push({ value: inner, path: [...at, key] })
    }
  }
}
