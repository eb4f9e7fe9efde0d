import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A connection, as a password file names it. */
export interface PasswordSubject {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/**
 * Returns the password of a connection from the file that PGPASSFILE names (default: `~/.pgpass`); undefined if it has
 * none. Lines are `host:port:database:user:password`, where `*` matches everything. As libpq does, it ignores a file
 * that other users can read.
 */
export function readPasswordFile(
  { host, port, database, user }: PasswordSubject,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const file = env.PGPASSFILE || join(homedir(), '.pgpass')
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile() || (process.platform !== 'win32' && (found.mode & 0o077) !== 0)) return undefined
  const wanted = [host, String(port), database, user]
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = splitFields(line)
    if (fields.length === 5 && wanted.every((it, n) => fields[n] === '*' || withoutBackslashes(fields[n]) === it))
      return withoutBackslashes(fields[4])
  }
  return undefined
}

/** Splits a line at colons that no backslash precedes. The password may contain further colons. */
function splitFields(line: string): string[] {
  const fields = /^((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):(.*)$/.exec(line)
  return fields ? fields.slice(1) : []
}

const withoutBackslashes = (text = ''): string => text.replace(/\\(.)/g, '$1')
