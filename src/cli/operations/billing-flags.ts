import type { CommandFlag } from '../commandline/command.ts'

/** Flags of every billable command. */
export const billingFlags: readonly CommandFlag[] = [
  {
    flags: '--idempotency-key <key>',
    describe: 'Idempotency key: retries with the same key, from any machine, run once if the platform supports it',
  },
  {
    flags: '--ignore-open <entry>',
    describe: 'Continue although this journal entry of the same operation has an unknown outcome',
  },
]
