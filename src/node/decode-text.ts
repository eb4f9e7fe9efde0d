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

/**
 * Decodes text with the character set of its byte order mark, else of its content type, else as UTF-8. The mark is
 * skipped. An unknown character set is read as UTF-8.
 */
export function decodeText(bytes: Uint8Array, type = ''): string {
  const marked = byteOrderMarks.find((it) => it.bytes.every((byte, at) => bytes[at] === byte))
  const charset = marked?.charset ?? charsetOf(type) ?? 'utf-8'
  if (!marked && /^utf-?8$/.test(charset))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return new TextDecoder(isKnownCharset(charset) ? charset : 'utf-8').decode(bytes)
}
