import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { StoreError } from '../database/store-error.ts'

/** Parameters of the URL that this program interprets itself, as libpq does. */
const ownParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'connect_timeout'] as const

/** What a URL says about the connection. */
export interface ConnectionConfig {
  readonly connectionString: string
  readonly ssl?: Exclude<ClientConfig['ssl'], boolean | undefined> | false
  readonly connectTimeoutMs?: number
}

/**
 * Returns what a URL says about the connection. `sslmode=require` encrypts without checking who answers, `verify-ca`
 * checks the certificate, and `verify-full` also its host name. @throws StoreError if a file cannot be read
 */
export function readConnectionConfig(text: string): ConnectionConfig {
  if (!URL.canParse(text)) return { connectionString: text }
  const url = new URL(text)
  const [mode, rootFile, certificateFile, keyFile, timeout] = ownParameters.map((it) => url.searchParams.get(it) ?? '')
  for (const it of ownParameters) url.searchParams.delete(it)
  const connectionString = url.href
  const connectTimeoutMs = Number(timeout) > 0 ? { connectTimeoutMs: Number(timeout) * 1000 } : {}
  if (!mode && !rootFile) return { connectionString, ...connectTimeoutMs }
  if (mode === 'disable') return { connectionString, ssl: false, ...connectTimeoutMs }
  // As in libpq, a root certificate makes "require" check the certificate.
  const isVerified: boolean = mode === '' || mode?.startsWith('verify') || (mode === 'require' && rootFile !== '')
  const checksHost = mode === '' || mode === 'verify-full'
  return {
    connectionString,
    ssl: {
      rejectUnauthorized: isVerified,
      ...(isVerified && !checksHost && { checkServerIdentity: () => undefined }),
      ...(rootFile && rootFile !== 'system' && { ca: read(rootFile, 'sslrootcert') }),
      ...(certificateFile && { cert: read(certificateFile, 'sslcert') }),
      ...(keyFile && { key: read(keyFile, 'sslkey') }),
    },
    ...connectTimeoutMs,
  }
}

function read(file: string, parameter: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StoreError(
      'unopenable',
      `The file of ${parameter} in the database URL cannot be read: ${(error as Error).message}.`,
      error,
    )
  }
}
