import type { WriteOptions } from '../as-code/kinds/file-kind.ts'
import type { Invocation } from '../commandline/command.ts'

/** Flags of every command that replaces the definition of a live automation. */
export const skipLocalTestFlag = {
  flags: '--skip-local-test',
  describe: 'Send new definitions without checking them locally first',
} as const
export const noRollbackFlag = {
  flags: '--no-rollback-on-failure',
  describe: 'Leave a published definition that fails its test as it is (disabled)',
} as const

/** What the flags of a push say of how definitions are sent. */
export const parseWriteOptions = (flags: Invocation['flags']): WriteOptions => ({
  confirmed: flags.confirmSideEffects === true,
  skipLocalTest: flags.skipLocalTest === true,
  rollback: flags.rollbackOnFailure !== false,
})
