/** What a shell script may rely on. The one table: `parley help exit-codes`, docs/exit-codes.md and every error use it. */
export const exitCodes = {
  done: { code: 0, meaning: 'done; also nothing found, and a dry run' },
  internal: { code: 1, meaning: 'unexpected, an error inside Parley' },
  usage: { code: 2, meaning: 'wrong usage, a missing flag without a terminal, refused before any request' },
  auth: { code: 3, meaning: 'not signed in, or refused' },
  not_found: { code: 4, meaning: 'not found' },
  conflict: {
    code: 5,
    meaning: 'conflict: taken, price above the cap or moved, slot occupied, window closed, nothing to restore',
  },
  rejected: { code: 6, meaning: 'rejected content' },
  rate_limited: { code: 7, meaning: 'rate limited, after retries' },
  platform: { code: 8, meaning: 'the platform is failing' },
  connection: { code: 9, meaning: 'no connection, DNS, TLS, or a read timed out' },
  consent: { code: 10, meaning: 'consent needed and not given' },
  partial: { code: 11, meaning: 'partly done' },
  unknown: { code: 12, meaning: 'outcome unknown: a write that spends got no answer, or one that does not say' },
  payment: { code: 13, meaning: 'balance or payment' },
  finding: { code: 20, meaning: 'a check found something' },
  interrupted: { code: 130, meaning: 'interrupted (Ctrl-C)' },
  terminated: { code: 143, meaning: 'terminated' },
} as const

export type ExitName = keyof typeof exitCodes
export type ExitCode = (typeof exitCodes)[ExitName]['code']
