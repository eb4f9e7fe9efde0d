import type { PlainRequest, PlainResponse } from '../../contract/endpoint/http-message.ts'
import { type ContentCodingError, decompressBody } from '../../node/content-coding.ts'
import { decodeText } from '../../node/decode-text.ts'
import { realTime } from '../../node/real-time.ts'
import { type SendOptions, TransportError } from './transport.ts'

/** A connection to a host, direct or through a proxy. */
export interface HttpConnection {
  send(request: PlainRequest, options: SendOptions): Promise<PlainResponse>
  close(): Promise<void>
}

/** Options of a connection. */
export interface HttpConnectionOptions {
  /** Certificate authorities to trust instead of the built-in ones, PEM. */
  readonly ca?: string
  /** Maximum size of a response in bytes. */
  readonly maxBytes: number
}

/** Ends an exchange on a timeout or an interruption. Returns a function that stops watching for both. */
export function watchTimeout(
  { timeoutMs, signal }: SendOptions,
  end: (error: TransportError) => void,
  sent: () => boolean,
): () => void {
  const onAbort = (): void => end(new TransportError('aborted', 'interrupted', sent()))
  const timer = realTime.setTimeout(
    () => end(new TransportError('timeout', `no response within ${timeoutMs} ms`, sent())),
    timeoutMs,
  )
  if (signal?.aborted) realTime.queueMicrotask(onAbort)
  else signal?.addEventListener('abort', onAbort, { once: true })
  return () => {
    realTime.clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Collects the bytes of a response up to a limit, and converts its headers. */
export class ResponseCollector {
  readonly #chunks: Buffer[] = []
  readonly #maxBytes: number
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Adds a chunk. @throws TransportError when the response is larger than the limit */
  add(chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxBytes)
      throw new TransportError(
        'other',
        `the response is larger than ${Math.floor(this.#maxBytes / 1024 / 1024)} MB`,
        true,
      )
    this.#chunks.push(chunk)
  }

  /**
   * Returns the complete response with its body decompressed. Names of headers are in lower case, under which all readers find
   * them. @throws TransportError when that fails
   */
  async toResponse(
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<PlainResponse> {
    const plain: Record<string, string> = {}
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
    const body = Buffer.concat(this.#chunks)
    const encoding = plain['content-encoding']
    if (encoding === undefined || body.length === 0)
      return { status, headers: plain, body: decodeText(body, plain['content-type']) }
    const { 'content-encoding': _, 'content-length': __, ...rest } = plain
    const decoded = await decompressBody(body, encoding, this.#maxBytes).catch((error) => {
      throw toTransportError(error, this.#maxBytes)
    })
    return { status, headers: rest, body: decodeText(decoded, plain['content-type']) }
  }
}

/** Returns the failure for a compressed response that cannot be decoded. Some servers compress without being asked. */
function toTransportError(error: ContentCodingError, maxBytes: number): TransportError {
  const { reason, coding } = error
  if (reason === 'damaged')
    return new TransportError('truncated', `the response could not be decompressed (${coding})`, true, error)
  const message =
    reason === 'too_large'
      ? `the response is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`
      : `the response uses the unsupported compression "${coding}"; supported are gzip, deflate and br`
  return new TransportError('other', message, true, error)
}
