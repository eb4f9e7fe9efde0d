/** How a piece of somebody's code ended that did not end well. */
export class SandboxFailure extends Error {
  override readonly name = 'SandboxFailure'
  /** `code`: the code's own error; the others are limits it ran into. */
  readonly reason: 'code' | 'time' | 'memory' | 'never' | 'size' | 'lost'
  /** What the code wrote to the console before it failed. */
  readonly lines: readonly string[]

  constructor(reason: SandboxFailure['reason'], message: string, lines: readonly string[] = []) {
    super(message)
    this.reason = reason
    this.lines = lines
  }
}

export interface RunOptions {
  /** The platform's time in milliseconds, which the code sees. */
  readonly now?: number
  /** Milliseconds it may take, at most 30 000. Without it 5 000, or 30 000 for code that waits for timers or requests. */
  readonly timeout?: number
  readonly signal?: AbortSignal
  /** Carries the requests that code makes with `fetch`; without it they fail. */
  readonly fetch?: (request: CodeRequest) => Promise<CodeResponse>
}

/** A request of code, and the answer to it. */
export interface CodeRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
export interface CodeResponse {
  readonly url?: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** An expression's value; absent when it was nothing or went wrong. */
export type Evaluated = { readonly value: unknown } | undefined

/** Runs code of people nobody knows: each time in a machine of its own, without files, with limits on time and memory, and with no network but `fetch`. */
export interface Sandbox {
  /** Calls the `code` a module exports with `inputs`. Gives what it returned, as JSON carries it, and the lines it wrote. @throws SandboxFailure */
  run(
    source: string,
    inputs: unknown,
    options?: RunOptions,
  ): Promise<{ readonly output: unknown; readonly lines: readonly string[] }>
  /** Values of expressions over variables. One that fails is absent; the limits hold for all of them together. @throws SandboxFailure for a limit */
  evaluate(
    expressions: readonly string[],
    variables: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<readonly Evaluated[]>
  /** What is wrong with the syntax of each, null where nothing is. */
  check(
    sources: readonly { readonly kind: 'module' | 'expression'; readonly source: string }[],
  ): Promise<readonly (string | null)[]>
  /** Ends its threads. */
  close(): Promise<void>
}
