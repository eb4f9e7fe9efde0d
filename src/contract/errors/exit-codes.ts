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
  payment: { code: 13, meaning: 'insufficient balance, or payment failed' },
  finding: { code: 20, meaning: 'a check found something' },
  hung_up: { code: 129, meaning: 'the terminal was closed (SIGHUP)' },
  interrupted: { code: 130, meaning: 'interrupted (Ctrl-C)' },
  terminated: { code: 143, meaning: 'terminated' },
} as const

export type ExitName = keyof typeof exitCodes
