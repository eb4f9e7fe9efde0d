import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'

type Decode = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const unzip: Decode = (body, options) => promisify(gunzip)(body, options)

/** Decoders by content coding (RFC 9110, section 8.4.1). Some servers send deflate without its zlib header. */
const codings: Readonly<Record<string, Decode>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: (body, options) => promisify(brotliDecompress)(body, options),
  deflate: (body, options) => promisify(((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(body, options),
}

/** Maximum number of codings of one body. Each of them needs memory and time. */
const maxCodings = 3

/**
 * A compressed body that cannot be decoded. The client, the HTTP step and the server choose their failure, and its message, by
 * `reason`.
 */
export class ContentCodingError extends Error {
  readonly reason: 'unsupported' | 'damaged' | 'too_large'
  readonly coding: string

  constructor(reason: ContentCodingError['reason'], coding: string, cause?: unknown) {
    super(`The body could not be decoded (${coding}): ${reason}.`, { cause })
    this.name = 'ContentCodingError'
    this.reason = reason
    this.coding = coding
  }
}

/**
 * Decodes a compressed body. `encoding` is the header `content-encoding`, with the last applied coding at its end.
 * @throws ContentCodingError for an unknown coding, damaged data, or more than `maxBytes` after decoding
 */
export async function decompressBody(body: Uint8Array, encoding: string, maxBytes: number): Promise<Buffer> {
  const applied = encoding
    .toLowerCase()
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '' && it !== 'identity')
  if (applied.length > maxCodings) throw new ContentCodingError('unsupported', encoding.slice(0, 100))
  let result = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  for (const coding of applied.reverse()) {
    const decode = Object.hasOwn(codings, coding) ? codings[coding] : undefined
    if (!decode) throw new ContentCodingError('unsupported', coding.slice(0, 100))
    try {
      result = (await decode(result, { maxOutputLength: maxBytes })) as typeof result
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      throw new ContentCodingError(isTooLarge ? 'too_large' : 'damaged', coding, error)
    }
  }
  return result
}
