import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseDatabaseUrl, passwordOf } from '../../../node/database-url.ts'
import type { DatabaseOptions } from '../../../system.ts'
import type { CommandFlag, Invocation } from '../../commandline/command.ts'
import { databaseFromEnvironment } from '../../connection/database-settings.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseCount } from '../../input/count-flag.ts'

/** Flags for the PostgreSQL database of a server. */
export const databaseFlags: readonly CommandFlag[] = [
  {
    flags: '--database <url>',
    describe: 'Store data in PostgreSQL: postgres://user@host/name',
    env: 'PARLEY_DATABASE',
  },
  { flags: '--database-connections <n>', describe: 'Maximum database connections of this server (default: 10)' },
  {
    flags: '--database-pooled <mode>',
    describe: 'Whether a pooler in transaction mode is used (default: auto)',
    choices: ['auto', 'yes', 'no'],
  },
  {
    flags: '--database-isolation <name>',
    describe: 'Isolation of transactions (default: locks)',
    choices: ['locks', 'serializable'],
  },
  {
    flags: '--database-statement-timeout <seconds>',
    describe: 'Maximum time of one database statement (default: 30)',
  },
  {
    flags: '--database-connect-timeout <seconds>',
    describe: 'Maximum time to connect to the database (default: 10)',
  },
  { flags: '--secret-key-file <path>', describe: 'Encryption key to join the servers of a database: their secret.key' },
]

/** Returns the database of a server from the flags and the environment. @throws ClientFailure `usage` */
export async function readDatabaseOptions(
  { system, notes }: Context,
  flags: Invocation['flags'],
): Promise<DatabaseOptions> {
  const { urls = [], ...fromEnvironment } = databaseFromEnvironment(system.env).database ?? {}
  if (flags.database !== undefined && passwordOf(parseDatabaseUrl(String(flags.database), '--database')) !== undefined)
    await notes.warn(
      'Other users of this computer can see the password in --database. Put the URL in PARLEY_DATABASE, or the password in PGPASSWORD or in the file that PGPASSFILE names.',
    )
  const connections = parseCount(flags.databaseConnections as string | undefined, '--database-connections')
  const isPooled = parsePooled(flags.databasePooled)
  const isolation = parseIsolation(flags.databaseIsolation)
  const statementTimeoutMs = parseSeconds(flags.databaseStatementTimeout, '--database-statement-timeout')
  const connectTimeoutMs = parseSeconds(flags.databaseConnectTimeout, '--database-connect-timeout')
  return {
    ...fromEnvironment,
    urls: [
      ...(flags.database === undefined
        ? []
        : [{ url: String(flags.database), source: '--database', use: 'given' } as const]),
      ...urls.map((it) => (it.use === 'password' ? { ...it, use: 'new_folder' as const } : it)),
    ],
    ...(flags.secretKeyFile !== undefined && {
      secretKey: { ...readKeyFile(resolve(system.cwd, String(flags.secretKeyFile))), source: '--secret-key-file' },
    }),
    ...(connections !== undefined && { connections }),
    ...(isPooled !== undefined && { isPooled }),
    ...(isolation !== undefined && { isolation }),
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
  }
}

function readKeyFile(file: string): { readonly text: string; readonly isStored: true } {
  try {
    return { text: readFileSync(file, 'utf8'), isStored: true }
  } catch (error) {
    throw usageError(`Could not read the file of --secret-key-file: ${(error as Error).message}.`)
  }
}

function parsePooled(given: unknown): boolean | undefined {
  if (given === undefined || given === 'auto') return undefined
  if (given !== 'yes' && given !== 'no') throw usageError(`Invalid --database-pooled "${given}". Use yes, no or auto.`)
  return given === 'yes'
}

function parseIsolation(given: unknown): 'locks' | 'serializable' | undefined {
  if (given === undefined || given === 'locks' || given === 'serializable') return given
  throw usageError(`Invalid --database-isolation "${given}". Use locks or serializable.`)
}

function parseSeconds(given: unknown, flag: string): number | undefined {
  if (given === undefined) return undefined
  const seconds = Number(given)
  if (!(seconds > 0 && seconds <= 86_400))
    throw usageError(`Invalid ${flag} "${given}". Use a number of seconds above 0, at most 86400.`)
  return Math.ceil(seconds * 1000)
}
