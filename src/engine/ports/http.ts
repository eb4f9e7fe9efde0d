export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** Timeout of the whole exchange in milliseconds. */
  readonly timeout: number
}

export interface HttpResponse {
  /** Final URL after redirects, if known. */
  readonly url?: string
  readonly status: number
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Sends requests with verified TLS and limited redirects, size, addresses. Any status is valid. @throws StepFailure */
/**
 * Which hosts with private addresses may be contacted: all, none, certain names, addresses and networks, or what a
 * function says at the time of the request.
 */
export type PrivateAccess = boolean | readonly string[] | (() => boolean)

export interface HttpPort {
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
}
