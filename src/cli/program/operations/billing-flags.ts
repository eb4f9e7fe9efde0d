import type { CommandFlag } from '../commandline/command.ts'

/** The flag of the most that a command may cost. run.ts reads `--budget` as such an amount only where exactly this is declared. */
export const budgetFlag = '--budget <usd>'

/** Flags of every billable command. run.ts reads their values into `writeSettings`; scripts have their names. */
const billingFlags: readonly CommandFlag[] = [
  {
    flags: '--idempotency-key <key>',
    describe: 'Idempotency key: retries with the same key, from any machine, run once if the platform supports it',
  },
  {
    flags: '--ignore-open <entry>',
    describe: 'Continue although this journal entry of the same operation has an unknown outcome',
  },
]

/** Flags of commands whose price can be known before. */
export const spendingFlags: readonly CommandFlag[] = [
  ...billingFlags,
  {
    flags: budgetFlag,
    describe: 'Maximum cost in USD: nothing is sent if the price is higher, or not known',
  },
]
