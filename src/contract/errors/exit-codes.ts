/** Exit codes that scripts may rely on. `parley help exit-codes`, docs/exit-codes.md and every error use this table. */
export const exitCodes = {
  done: { code: 0, meaning: 'success; also nothing found, or a dry run' },
  internal: { code: 1, meaning: 'internal error' },
  usage: { code: 2, meaning: 'wrong usage, a missing flag without a terminal, or rejected before any request' },
  auth: { code: 3, meaning: 'not signed in, or permission denied' },
  not_found: { code: 4, meaning: 'not found' },
  conflict: {
    code: 5,
    meaning:
      'conflict: already in use, price changed or above the maximum, event already bound, messaging window closed, or nothing to restore',
  },
  rejected: { code: 6, meaning: 'invalid request content' },
  rate_limited: { code: 7, meaning: 'rate limited after retries' },
  platform: { code: 8, meaning: 'platform error' },
  connection: { code: 9, meaning: 'connection failed: DNS, TLS, or a read timed out' },
  consent: { code: 10, meaning: 'confirmation required and not given' },
  partial: { code: 11, meaning: 'partially completed' },
  unknown: {
    code: 12,
    meaning:
      'outcome unknown: no conclusive response to a billable operation or a creation, or a write that could not be read back',
  },
  payment: { code: 13, meaning: 'insufficient balance, a budget that is spent, or payment failed' },
  timed_out: { code: 14, meaning: 'the condition of --wait was not reached in time; the work continues' },
  finding: { code: 20, meaning: 'a check found something' },
  hung_up: { code: 129, meaning: 'the terminal was closed (SIGHUP)' },
  interrupted: { code: 130, meaning: 'interrupted (Ctrl-C)' },
  terminated: { code: 143, meaning: 'terminated' },
} as const

export type ExitName = keyof typeof exitCodes

/** Values that fill an envelope. */
export interface EnvelopeFields {
  readonly text: string
  readonly code: string
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * The error envelopes of section 7.1, each a function that builds a response body. Clients read the fields: they never change.
 * error-schemas.ts describes the same for OpenAPI.
 */
export const envelopes = {
  validation: ({ text, errors }: EnvelopeFields) => ({ message: text, errors: errors ?? {} }),
  message: ({ text, extra }: EnvelopeFields) => ({ message: text, ...extra }),
  messaging: ({ text, code, extra }: EnvelopeFields) => ({ success: false, error: text, error_code: code, ...extra }),
  error: ({ text }: EnvelopeFields) => ({ error: text }),
  conversation: ({ text }: EnvelopeFields) => ({ status: false, error: text }),
  automation: ({ text, code, extra }: EnvelopeFields) => ({ message: text, error: code, ...extra }),
} as const

export type EnvelopeName = keyof typeof envelopes

/** An error of the API: what a client receives, and how the program ends with it. */
export interface FailureKind {
  readonly status: number
  readonly envelope: EnvelopeName
  /**
   * Text on the wire. Code that raises the failure may pass a more precise text, and must if this text has a
   * placeholder in braces.
   */
  readonly text: string
  readonly exit: ExitName
  /**
   * Code on the wire, for envelopes that have one (default: the part of the name after the dot). `{code}` in it is
   * replaced by the code of the provider.
   */
  readonly code?: string
  /** Additional fields of the response body. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Instruction for the user, as an imperative sentence. */
  readonly hint?: string
}
