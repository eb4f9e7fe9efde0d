/** A request and an answer as plain objects: what the server's core takes and gives, whether or not a socket is between. */
export interface PlainRequest {
  readonly method: string
  /** Path and query, from the first slash: `/api/user/tools?page=2`. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The body as it was sent, where a reader needs more than its text. */
  readonly bytes?: Uint8Array
}

export interface PlainResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Sent instead of `body` where the answer is not text. */
  readonly bytes?: Uint8Array
  /** A fault breaks the connection: before the answer, or in the middle of its body. */
  readonly cut?: 'answer' | 'body'
}
