import type { Invocation } from '../../program/commandline/command.ts'
import type { WriteOptions } from '../../program/resources/resource-files.ts'

/** Flags of commands that replace the definition of a live automation. */
export const skipLocalTestFlag = {
  flags: '--skip-local-test',
  describe: 'Send new definitions without a local check',
} as const
export const noRollbackFlag = {
  flags: '--no-rollback-on-failure',
  describe: 'If a published definition fails its test, keep it, disabled',
} as const

/** Parses the flags that say how definitions are sent. */
export const parseWriteOptions = (flags: Invocation['flags']): WriteOptions => ({
  confirmed: flags.confirmSideEffects === true,
  skipLocalTest: flags.skipLocalTest === true,
  rollback: flags.rollbackOnFailure !== false,
})
