// The database that flags, variables and the configuration name for a server. What variables alone name, for commands without a server, is in
// program/connection/database-settings.ts.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseDatabaseUrl, passwordOf } from '../../../node/database-url.ts'
import { describeFileError } from '../../../node/file-error.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import { databaseFromEnvironment } from '../../program/connection/database-settings.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import type { DatabaseOptions } from '../../program/system.ts'

type Flags = Invocation['flags']

/** Warns about a password in the URL of a flag. @throws InvalidDatabaseUrl */
export async function warnAboutPassword(
  { notes }: Context,
  flags: Flags,
  names: readonly string[] = ['database'],
): Promise<void> {
  for (const name of names) {
    const given = flags[name]
    if (given === undefined || !/^[a-z]+:\/\//i.test(String(given))) continue
    const flag = `--${name.replace(/[A-Z]/, (it) => `-${it.toLowerCase()}`)}`
    if (passwordOf(parseDatabaseUrl(String(given), flag)) !== undefined)
      await notes.warn(
        `Other users of this computer can see the password in ${flag}. Put the URL in PARLEY_DATABASE, or the password in PGPASSWORD or in the file that PGPASSFILE names.`,
      )
  }
}

/**
 * Returns the database of a server. `flags` are those of the command line, the environment and the configuration;
 * `given` are those of the command line. `otherUse` is the use of DATABASE_URL. @throws ClientFailure `usage`
 *
 * The order of the URLs is their precedence: choose-database.ts takes the first one of a use. That of a flag is before those of variables, and
 * DATABASE_URL, which may belong to another program, is last. What the uses do is in database-settings.ts of platform/control/data-folder.
 */
export function parseDatabaseOptions(
  { system }: Context,
  flags: Flags,
  given: Flags,
  otherUse: 'new_folder' | 'password' = 'new_folder',
): DatabaseOptions {
  const { urls = [], ...fromEnvironment } = databaseFromEnvironment(system.env).database ?? {}
  const connections = parseCount(flags.databaseConnections as string | undefined, '--database-connections')
  const { databasePooled: pooled, databaseIsolation: isolation, databaseDirect: direct } = flags
  const statementTimeoutMs = parseSeconds(flags.databaseStatementTimeout, '--database-statement-timeout')
  const connectTimeoutMs = parseSeconds(flags.databaseConnectTimeout, '--database-connect-timeout')
  return {
    ...fromEnvironment,
    urls: [
      ...(flags.database === undefined
        ? []
        : [{ url: String(flags.database), source: sourceOf(system.env, given), use: 'given' } as const]),
      ...urls.map((it) => (it.use === 'password' ? { ...it, use: otherUse } : it)),
    ],
    ...(flags.secretKeyFile !== undefined && {
      secretKey: { ...readKeyFile(system.cwd, String(flags.secretKeyFile)), source: '--secret-key-file' },
    }),
    ...(connections !== undefined && { connections }),
    ...((pooled === 'yes' || pooled === 'no') && { isPooled: pooled === 'yes' }),
    ...(direct !== undefined && { directUrl: parseDatabaseUrl(String(direct), '--database-direct').href }),
    ...(isolation !== undefined && { isolation: isolation as 'locks' }),
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
  }
}

const sourceOf = (env: Context['system']['env'], { database }: Flags): string =>
  database !== undefined ? '--database' : env.PARLEY_DATABASE ? 'PARLEY_DATABASE' : '"database" in the file of --config'

/** Reads the key of --secret-key-file. The data folder stores it (`isStored`), unlike a key from a variable, so that later commands need no flag. */
function readKeyFile(cwd: string, path: string): { readonly text: string; readonly isStored: true } {
  try {
    return { text: readFileSync(resolve(cwd, path), 'utf8'), isStored: true }
  } catch (error) {
    throw usageError(`Could not read --secret-key-file ${path}: ${describeFileError(error)}.`)
  }
}

function parseSeconds(given: unknown, flag: string): number | undefined {
  if (given === undefined) return undefined
  const seconds = Number(given)
  if (!(seconds > 0 && seconds <= 86_400))
    throw usageError(`Invalid ${flag} "${given}". Use a number of seconds above 0, at most 86400.`)
  return Math.ceil(seconds * 1000)
}
