/** HTTP request as a plain object. The server core works on such objects, with or without a socket. */
export interface PlainRequest {
  readonly method: string
  /** Path and query, from the first slash: `/api/user/tools?page=2`. */
  readonly url: string
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Public URL of the server without a slash at its end (default: that of the `host` header). */
  readonly origin?: string
  readonly body?: string
  /** The raw body, for handlers that need more than its text. */
  readonly bytes?: Uint8Array
  /**
   * Files of a request in multipart/form-data. `body` then has the fields of the form as JSON, and in place of a file its
   * name and size.
   */
  readonly files?: readonly File[]
  /** The client, for requests on a socket. Callers in the same process have none. */
  readonly remote?: {
    /** IP address; of a client behind a proxy on this machine, the address that the proxy reports. */
    readonly address: string
    /** Whether a proxy passed the request on. */
    readonly isProxied: boolean
    /** Whether the request was made on this machine and not passed on by a proxy. */
    readonly isLocal: boolean
  }
  /**
   * Set by the inspector for a user that it has authenticated; never for a request on a socket. Names in the request are
   * neutral, and limits and faults do not apply. `account` is the account that it acts for.
   */
  readonly inspector?: { readonly account: number }
  /** Set and filled in while the request is processed; absent if nothing measures it. */
  context?: RequestContext
}

/** What is known about a request when it is answered, for logs and metrics. */
export interface RequestContext {
  /** Name of the endpoint, such as `tools.list`. */
  endpoint: string | undefined
  /** Id of the account; undefined while the caller is not authenticated. */
  account: number | undefined
  /** Id of the run whose failure is the response. */
  failedRun?: string
  readonly traceId: string | undefined
  /** Time of arrival, as of `realTime.monotonicMs()`. */
  readonly startedAt: number
}

/** A response without a socket. */
export interface PlainResponse {
  readonly status: number
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Sent instead of `body` if the response is not text. */
  readonly bytes?: Uint8Array
  /** Set if a fault breaks the connection: before the response, or in the middle of its body. */
  readonly cut?: 'answer' | 'body'
}

/** Fields of a log line beside its text. */
export interface LogFields {
  readonly request_id?: string | undefined
  readonly trace_id?: string | undefined
  /** Error of the database, with its host or file. */
  readonly reason?: string | undefined
}
