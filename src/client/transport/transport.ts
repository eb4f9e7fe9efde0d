import type { PlainRequest, PlainResponse } from '../../contract/endpoint/http-message.ts'

/** Options of one exchange. */
export interface SendOptions {
  /** Timeout of the whole exchange in milliseconds. */
  readonly timeoutMs: number
  /** Aborted when the user interrupts. */
  readonly signal?: AbortSignal
}

/** Sends requests to a platform, in process or over a socket. */
export interface Transport {
  /**
   * The base URL: `https://host` or `embedded:`. Messages have it, and the journal as the platform, unless the client names
   * another.
   */
  readonly base: string
  /** Sends a request once, without retries. @throws TransportError without a complete response */
  send(request: PlainRequest, options: SendOptions): Promise<PlainResponse>
  close(): Promise<void>
}

/** Why there is no response. Codes of failures end with these words, such as `connection_refused`: scripts read them, so they are not renamed. */
export type TransportReason =
  | 'refused'
  | 'dns'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'proxy'
  | 'aborted'
  | 'other'

/**
 * There is no complete response. `sent` says whether the request may have reached the platform: if not, it can be
 * repeated; otherwise its outcome is unknown.
 */
export class TransportError extends Error {
  readonly reason: TransportReason
  readonly sent: boolean
  /** Whether a proxy refused the request explicitly, so that a retry would fail too. */
  readonly isRefusal: boolean

  constructor(reason: TransportReason, message: string, sent: boolean, cause?: unknown, isRefusal = false) {
    super(message, { cause })
    this.name = 'TransportError'
    this.reason = reason
    this.sent = sent
    this.isRefusal = isRefusal
  }
}
