import { resolve } from 'node:path'

/**
 * The URL of a database cannot be used. The message never contains the URL, which may have a password. The command line ends
 * with `exit` and prints `hint`.
 */
export class InvalidDatabaseUrl extends Error {
  override readonly name = 'InvalidDatabaseUrl'
  readonly exit = 'usage'
  readonly hint = 'Use a URL such as postgres://user@host:5432/name.'
}

const schemes: readonly string[] = ['postgres:', 'postgresql:']

/** Modes of TLS that are supported. `prefer` and `allow` would fall back to a connection without encryption. */
const tlsModes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Parameters of a URL that name files. */
const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'] as const

/**
 * Parses the URL of a PostgreSQL database. Names of files become absolute. `source` is the flag or variable that it
 * comes from. @throws InvalidDatabaseUrl
 */
export function parseDatabaseUrl(text: string, source: string): URL {
  const scheme = /^([a-z][a-z0-9+.-]*:)\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && !schemes.includes(scheme))
    throw new InvalidDatabaseUrl(`${source} has the unsupported scheme ${scheme}//. Use a PostgreSQL database.`)
  const url = scheme !== undefined && URL.canParse(text) ? new URL(text) : undefined
  // A password with "/" or "#" would end up in the name of the database, and in messages.
  if (!url || /[@/:]/.test(url.pathname.slice(1)) || url.hash !== '')
    throw new InvalidDatabaseUrl(
      `${source} is not a valid database URL. Special characters of the password must be encoded: "@" as %40, "/" as %2F.`,
    )
  if (url.pathname.length < 2) throw new InvalidDatabaseUrl(`${source} does not name a database.`)
  if (url.hostname === '' && !url.searchParams.has('host'))
    throw new InvalidDatabaseUrl(`${source} does not name a host.`)
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !tlsModes.includes(mode))
    throw new InvalidDatabaseUrl(
      `${source} has the unsupported value sslmode=${mode}. Use disable, require, verify-ca or verify-full.`,
    )
  for (const name of fileParameters) {
    const file = url.searchParams.get(name)
    if (file && file !== 'system') url.searchParams.set(name, resolve(file))
  }
  return url
}

/** Returns the password of a URL; undefined if it has none. */
export const passwordOf = (url: URL): string | undefined =>
  url.password !== '' ? decodeURIComponent(url.password) : (url.searchParams.get('password') ?? undefined)

/** Returns a copy of a URL without its password. */
export function withoutPassword(url: URL): URL {
  const copy = new URL(url)
  copy.password = ''
  copy.searchParams.delete('password')
  return copy
}

/** Returns a copy of a URL with a password. */
export function withPassword(url: URL, password: string): URL {
  const copy = withoutPassword(url)
  copy.password = encodeURIComponent(password)
  return copy
}

/**
 * Returns host, port and name of a database, for messages and comparisons, without user and password. A data folder refuses
 * another database than its own by it, and a migration the same source and target, so all names of this machine are equal.
 */
export function locationOf(url: URL): string {
  const host = url.searchParams.get('host') ?? url.hostname
  const name = /^(localhost|127\.0\.0\.1|\[::1\])$/i.test(host) ? '127.0.0.1' : host.toLowerCase()
  return `${name}:${url.searchParams.get('port') ?? (url.port || '5432')}${url.pathname}`
}

/** Returns whether two URLs lead to the same database. Their users may differ. */
export const isSameDatabase = (a: URL, b: URL): boolean => locationOf(a) === locationOf(b)
