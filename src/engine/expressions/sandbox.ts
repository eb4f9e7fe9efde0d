/**
 * Error of code in the sandbox: its own error, or a limit it exceeded. The message is the error of the step. Callers distinguish only
 * `lost`, of which the code is not the cause.
 */
export class SandboxFailure extends Error {
  override readonly name = 'SandboxFailure'
  /** `code`: an error thrown by the code. `lost`: the sandbox was closed or crashed. The others are exceeded limits. */
  readonly reason: 'code' | 'time' | 'memory' | 'never' | 'size' | 'lost'
  /** Console output of the code before it failed. */
  readonly lines: readonly string[]

  constructor(reason: SandboxFailure['reason'], message: string, lines: readonly string[] = []) {
    super(message)
    this.reason = reason
    this.lines = lines
  }
}

/** Limits and access of one run of untrusted code. */
export interface RunOptions {
  /** Account that the code belongs to. Accounts share the threads fairly. */
  readonly account?: number
  /** Time of the platform in milliseconds, which the code sees as the current time. */
  readonly now?: number
  /** Timeout in milliseconds, at most 30 000 (default: 5 000, or 30 000 for code that waits for timers or requests). */
  readonly timeout?: number
  readonly signal?: AbortSignal
  /** Sends the requests that code makes with `fetch`; without it they fail. */
  readonly fetch?: (request: CodeRequest) => Promise<CodeResponse>
}

/** HTTP request made by code. */
export interface CodeRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
/** Response that the code receives. `url` is the final one after redirects. */
export interface CodeResponse {
  readonly url?: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Value of an expression; undefined if it has no value or failed. */
export type Evaluated = { readonly value: unknown } | undefined

/**
 * Runs untrusted code. Each run has a fresh virtual machine without files, with limits on time and memory, and with no
 * network access except `fetch`.
 */
export interface Sandbox {
  /**
   * Calls the `code` function that a module exports with `inputs`. Returns its result, as JSON can represent it, and
   * its console output. @throws SandboxFailure
   */
  run(
    source: string,
    inputs: unknown,
    options?: RunOptions,
  ): Promise<{ readonly output: unknown; readonly lines: readonly string[] }>
  /**
   * Evaluates expressions over variables. A failed expression is undefined. The limits apply to all expressions
   * together. @throws SandboxFailure for an exceeded limit
   */
  evaluate(
    expressions: readonly string[],
    variables: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<readonly Evaluated[]>
  /** Returns the syntax error of each source; null if it has none. */
  check(
    sources: readonly { readonly kind: 'module' | 'expression'; readonly source: string }[],
  ): Promise<readonly (string | null)[]>
  /** Ends the threads. */
  close(): Promise<void>
}
