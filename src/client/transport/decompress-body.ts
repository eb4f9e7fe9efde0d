import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { TransportError } from './transport.ts'

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer

/** Decoders by content coding (RFC 9110, section 8.4.1). Some servers send deflate without its zlib header. */
const codings: Readonly<Record<string, Decode>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  br: brotliDecompressSync,
  deflate: (body, options) =>
    ((body[0] ?? 0) & 0x0f) === 8 ? inflateSync(body, options) : inflateRawSync(body, options),
}

/**
 * Decodes a compressed body. `encoding` is the header, with the last applied coding at its end. Some servers compress
 * although the client did not ask for it.
 * @throws TransportError for an unknown coding, damaged data, or more than `maxBytes`
 */
export function decompressBody(body: Buffer, encoding: string, maxBytes: number): Buffer {
  const applied = encoding
    .toLowerCase()
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '' && it !== 'identity')
  let result = body
  for (const coding of applied.reverse()) {
    const decode = codings[coding]
    if (!decode)
      throw new TransportError(
        'other',
        `the response uses the unsupported compression "${coding}"; supported are gzip, deflate and br`,
        true,
      )
    try {
      result = decode(result, { maxOutputLength: maxBytes })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        throw new TransportError(
          'other',
          `the response is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`,
          true,
          error,
        )
      throw new TransportError('truncated', `the response could not be decompressed (${coding})`, true, error)
    }
  }
  return result
}
