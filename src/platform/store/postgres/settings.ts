import type { Isolation } from './begin-statements.ts'

/** Settings of a PostgreSQL database. Times are in milliseconds. */
export interface PostgresOptions {
  /** Maximum number of connections of this process (default: 10). */
  readonly connections?: number
  /** Whether a pooler in transaction mode is in front of the database (default: found out at the first connection). */
  readonly isPooled?: boolean
  /** URL of the database past its pooler, for a session that listens (default: that of the database, without a pooler). */
  readonly directUrl?: string
  readonly isolation?: Isolation
  /** Name of the sessions in the catalog of the server (default: `parley`). */
  readonly sessionName?: string
  /** Time for one statement, including waiting for locks (default: 30 000). */
  readonly statementTimeoutMs?: number
  /** Time to open a connection (default: 10 000). */
  readonly connectTimeoutMs?: number
  /** Time for which work that changed nothing is repeated after a connection was lost (default: 3 000). */
  readonly reconnectMs?: number
}

/** Settings of a connection to PostgreSQL without those of the user. */
export const defaults = {
  connections: 10,
  sessionName: 'parley',
  isolation: 'locks',
  statementTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  reconnectMs: 3000,
} as const

/**
 * Milliseconds after which the server ends a transaction that sends nothing. A transaction awaits only its queries, so
 * its process has stopped or is cut off, and others wait for its locks.
 */
export const idleTransactionTimeoutMs = 5000

/** Returns server, port and database, without the user and the password. */
export function databaseLocation(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed ? `${parsed.host}${parsed.pathname}` : 'of the given URL'
}

/** Returns the statements that limit a transaction. A pooler refuses such settings of a connection. */
export const transactionLimits = (statementTimeoutMs: number): string[] => [
  `set local statement_timeout = ${statementTimeoutMs}`,
  `set local idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs}`,
]
