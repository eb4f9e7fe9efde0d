/** Byte order marks and the encodings that they mean. They take precedence over a named character set. */
const byteOrderMarks = [
  { bytes: [0xef, 0xbb, 0xbf], charset: 'utf-8' },
  { bytes: [0xff, 0xfe], charset: 'utf-16le' },
  { bytes: [0xfe, 0xff], charset: 'utf-16be' },
] as const

/** Returns the character set that a content type names, in lower case; undefined if it names none. */
export const charsetOf = (type: string): string | undefined =>
  /;\s*charset=\s*["']?([^\s"';,]+)/i.exec(type)?.[1]?.toLowerCase()

/** Returns whether a character set can be decoded. */
export function isKnownCharset(charset: string): boolean {
  try {
    return new TextDecoder(charset) !== undefined
  } catch {
    return false
  }
}

/** Characters of the bytes 128 to 159, which some versions of Node decode as control characters. */
const windows1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

/**
 * Decodes text with the character set of its byte order mark, else of its content type, else as UTF-8. The mark is
 * skipped. An unknown character set is read as UTF-8.
 */
export function decodeText(bytes: Uint8Array, type = ''): string {
  const marked = byteOrderMarks.find((it) => it.bytes.every((byte, at) => bytes[at] === byte))
  const charset = marked?.charset ?? charsetOf(type) ?? 'utf-8'
  if (!marked && /^utf-?8$/.test(charset))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const decoder = new TextDecoder(isKnownCharset(charset) ? charset : 'utf-8')
  const text = decoder.decode(bytes)
  return decoder.encoding === 'windows-1252'
    ? text.replace(/[\x80-\x9f]/g, (it) => windows1252[it.charCodeAt(0) - 128] ?? it)
    : text
}
