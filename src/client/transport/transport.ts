import type { PlainRequest, PlainResponse } from '../../contract/mechanics/http-message.ts'

export interface SendOptions {
  /** Milliseconds for the whole exchange. */
  readonly timeoutMs: number
  /** Aborted when the user interrupts. */
  readonly signal?: AbortSignal
}

/** Carries one request to a platform. The embedded one hands it over in process, the remote one opens a socket. */
export interface Transport {
  /** Where requests go, for people: `https://host` or `embedded:`. */
  readonly base: string
  /** Sends once, never again by itself. Throws TransportError when there is no complete answer. */
  send(request: PlainRequest, options: SendOptions): Promise<PlainResponse>
  close(): Promise<void>
}

/** Why there is no answer. */
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

/** No complete answer. `sent` says whether the request may have reached the platform: the line between "again" and "unknown". */
export class TransportError extends Error {
  readonly reason: TransportReason
  readonly sent: boolean
  /** Whether another try would end the same way: something in between refused, and said so. */
  readonly isRefusal: boolean

  constructor(reason: TransportReason, message: string, sent: boolean, cause?: unknown, isRefusal = false) {
    super(message, { cause })
    this.name = 'TransportError'
    this.reason = reason
    this.sent = sent
    this.isRefusal = isRefusal
  }
}
