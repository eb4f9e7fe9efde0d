/** Flags of every command that replaces the definition of a live automation. */
export const skipLocalTest = { flags: '--skip-local-test', describe: 'Send new definitions without checking them locally first' } as const
export const noRollback = { flags: '--no-rollback-on-failure', describe: 'Leave a published definition that fails its test as it is (disabled)' } as const
