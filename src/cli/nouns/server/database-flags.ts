import type { CommandFlag } from '../../program/commandline/command.ts'

/**
 * Flags of `server start` for its PostgreSQL database. Operators have these names in command lines, the environment and files
 * of --config: a renamed flag stays with `hidden`.
 */
export const databaseFlags: readonly (CommandFlag & { readonly env: string })[] = [
  {
    flags: '--database <url>',
    describe: 'Store data in PostgreSQL: postgres://user@host/name',
    env: 'PARLEY_DATABASE',
  },
  {
    flags: '--database-connections <n>',
    describe: 'Maximum database connections of this server (default: 10)',
    env: 'PARLEY_DATABASE_CONNECTIONS',
  },
  {
    flags: '--database-pooled <mode>',
    describe: 'Whether a pooler in transaction mode is used (default: auto)',
    choices: ['auto', 'yes', 'no'],
    env: 'PARLEY_DATABASE_POOLED',
  },
  {
    flags: '--database-direct <url>',
    describe: 'Address of the database past a pooler, so that servers learn of due work at once',
    env: 'PARLEY_DATABASE_DIRECT',
  },
  {
    flags: '--database-isolation <name>',
    describe: 'Isolation of transactions (default: locks)',
    choices: ['locks', 'serializable'],
    env: 'PARLEY_DATABASE_ISOLATION',
  },
  {
    flags: '--database-statement-timeout <seconds>',
    describe: 'Maximum seconds for one database statement (default: 30)',
    env: 'PARLEY_DATABASE_STATEMENT_TIMEOUT',
  },
  {
    flags: '--database-connect-timeout <seconds>',
    describe: 'Maximum seconds to connect to the database (default: 10)',
    env: 'PARLEY_DATABASE_CONNECT_TIMEOUT',
  },
  {
    flags: '--secret-key-file <path>',
    describe: 'File with the encryption key of the other servers of the database: their secret.key',
    env: 'PARLEY_SECRET_KEY_FILE',
  },
]

/** Flags of other commands that connect to a PostgreSQL database. */
export const connectionFlags = databaseFlags.filter(({ flags }) =>
  /^--(database-pooled|database-isolation|database-connect-timeout|secret-key-file) /.test(flags),
)
