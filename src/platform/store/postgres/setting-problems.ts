import { sql } from 'kysely'
import type { Query, SettingProblem } from '../database/connection.ts'
import { defaults, idleTransactionTimeoutMs, type PostgresOptions } from './settings.ts'

/** Settings of PgBouncer by name; undefined if there is none, or if it does not show them to this user. */
export type PoolerSettings = Readonly<Record<string, string | undefined>> | undefined

/** Seconds between two attempts of a pooler to reach the database, at most: about as long as requests wait for it. */
const maxLoginRetryS = 3

interface SessionRow {
  readonly role: string
  readonly statement_timeout: string
  readonly idle_in_transaction_session_timeout: string
}

/** Returns the settings of the sessions behind a pooler, and of the pooler, that servers work badly with. */
export async function findSettingProblems(
  read: Query,
  pooler: PoolerSettings,
  { connections = defaults.connections, statementTimeoutMs = defaults.statementTimeoutMs, directUrl }: PostgresOptions,
): Promise<SettingProblem[]> {
  const { rows } = await sql<SessionRow>`select quote_ident(current_user) as role,
    current_setting('statement_timeout') as statement_timeout,
    current_setting('idle_in_transaction_session_timeout') as idle_in_transaction_session_timeout`.execute(read)
  const problems: SettingProblem[] = []
  const unlimited = (name: keyof SessionRow, what: string, ms: number): void => {
    const [row] = rows
    if (row?.[name] !== '0') return
    problems.push({
      problem: `${what} of the database without end, because the role ${row.role} has no ${name} and a server cannot set it behind a pooler.`,
      fix: `alter role ${row.role} set ${name} = '${ms / 1000}s'`,
    })
  }
  unlimited('statement_timeout', 'A query can use a connection', statementTimeoutMs)
  unlimited(
    'idle_in_transaction_session_timeout',
    'A transaction of a server that stopped can hold locks',
    idleTransactionTimeoutMs,
  )
  const retry = Number(pooler?.server_login_retry)
  if (retry > maxLoginRetryS)
    problems.push({
      problem: `After each restart of PostgreSQL, requests fail for up to ${retry} s, because PgBouncer waits that long before it connects again.`,
      fix: 'Set server_login_retry = 1 in pgbouncer.ini.',
    })
  if (directUrl === undefined)
    problems.push({
      problem:
        'Servers find work that another one has scheduled up to 1 s later, because a session behind a pooler cannot listen.',
      fix: 'Set --database-direct (PARLEY_DATABASE_DIRECT) to the address of PostgreSQL itself.',
    })
  const size = Number(pooler?.default_pool_size)
  if (size < connections)
    problems.push({
      problem: `This server uses up to ${connections} connections, and PgBouncer opens at most ${size} for all servers.`,
      fix: 'Set default_pool_size in pgbouncer.ini to the sum of --database-connections of all servers.',
    })
  return problems
}
