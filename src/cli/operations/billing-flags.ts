import type { CommandFlag } from '../commandline/command.ts'

/** Flags of every command that spends. */
export const billingFlags: readonly CommandFlag[] = [
  {
    flags: '--idempotency-key <key>',
    describe:
      'Key of this operation: a retry with the same key, from any machine, is carried out once where the platform supports it',
  },
  {
    flags: '--ignore-open <entry>',
    describe: 'Continue although this journal entry of the same operation has no known outcome',
  },
]
