import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Client, ClientConfig } from 'pg'
import { passwordOf, withPassword } from '../../../node/database-url.ts'
import { realTime } from '../../../node/real-time.ts'
import { StoreError } from '../database/store-error.ts'
import type { Connect } from './client-pools.ts'
import type { Listen } from './job-hints.ts'
import { PostgresClient } from './postgres-client.ts'
import { storeError, toStoreError } from './postgres-store-errors.ts'
import type { PoolerSettings } from './setting-problems.ts'
import { defaults, idleTransactionTimeoutMs, type PostgresOptions } from './settings.ts'

/** Parameters of the URL that this program interprets itself, as libpq does. */
const ownParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'connect_timeout'] as const

/** What a URL says about the connection. */
interface ConnectionConfig {
  readonly connectionString: string
  readonly ssl?: Exclude<ClientConfig['ssl'], boolean | undefined> | false
  readonly connectTimeoutMs?: number
}

/**
 * Returns what a URL says about the connection. `sslmode=require` encrypts without checking who answers, `verify-ca`
 * checks the certificate, and `verify-full` also its host name. @throws StoreError if a file cannot be read
 */
function readConnectionConfig(text: string): ConnectionConfig {
  if (!URL.canParse(text)) return { connectionString: text }
  const url = new URL(text)
  const [mode, rootFile, certificateFile, keyFile, timeout] = ownParameters.map((it) => url.searchParams.get(it) ?? '')
  for (const parameter of ownParameters) url.searchParams.delete(parameter)
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

/** Returns what a URL past the pooler says about the connection. Without a password, it has that of the pooler. */
function directConfig(pooled: ConnectionConfig, directUrl: string | undefined): ClientConfig {
  if (directUrl === undefined) return {}
  const url = new URL(directUrl)
  const password = URL.canParse(pooled.connectionString) ? passwordOf(new URL(pooled.connectionString)) : undefined
  const known = passwordOf(url) === undefined && password !== undefined ? withPassword(url, password) : url
  const { connectionString, ssl } = readConnectionConfig(known.href)
  return { connectionString, ...(ssl !== undefined && { ssl }) }
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

/** A connection, as a password file names it. */
interface PasswordSubject {
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
function readPasswordFile(
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

const int8 = 20
const numeric = 1700

/** Milliseconds more than a statement may take, after which a connection without an answer counts as lost. */
const answerGraceMs = 5000

interface ServerState {
  readonly ms: number
  readonly encoding: string
  readonly read_only: string
  readonly has_citus: boolean
}

const readServerState = `select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms,
  current_setting('server_encoding') as encoding, current_setting('transaction_read_only') as read_only,
  to_regclass('pg_dist_partition') is not null as has_citus`
/** Whether the tables of accounts are spread over nodes. Only a database with Citus has the catalog. */
export const readSharded =
  "select exists (select from pg_dist_partition where logicalrelid = to_regclass('account')) as sharded"

/** Throws StoreError for a server that can only be read, and for a database that cannot store every text. */
function requireUsable({ encoding, read_only }: ServerState, where: string): void {
  if (read_only === 'on') throw storeError('read_only', where)
  if (encoding !== 'UTF8')
    throw new StoreError(
      'unopenable',
      `The database ${where} has the encoding ${encoding}. Parley needs UTF8: create database <name> encoding 'UTF8' template template0.`,
    )
}

/** Citus commits the parts of a transaction one after the other, so a conflict may leave only some of them. */
const serializableError = (where: string): StoreError =>
  new StoreError(
    'unopenable',
    `The tables of ${where} are spread over nodes, where the isolation "serializable" does not hold. Use --database-isolation locks.`,
  )

/** Columns of PgBouncer with the number of its connections to a database that have logged in. */
const sessionsOf = ['sv_active', 'sv_idle', 'sv_used', 'sv_tested'] as const

/** Lets a connection without a password look into the password file when the server asks for one. */
function usePasswordFile(client: Client): void {
  const subject = client as { password: unknown; host: string; port: number; database: string; user: string }
  if (!subject.password) subject.password = async () => readPasswordFile(subject) ?? ''
}

/** Opens connections to one database. */
interface Connector {
  readonly connect: Connect
  /** Opens a connection that waits for the result of a statement however long it takes, for changes of the schema. */
  readonly connectWithoutTimeout: Connect
  /** Whether a pooler in transaction mode is in front of the database. Known after the first connection. */
  isPooled(): boolean
  /** Reads the settings of PgBouncer. */
  readPoolerSettings(): Promise<PoolerSettings>
  /** Returns whether PgBouncer has no connection to this database; undefined if it does not say so. */
  isPoolerAlone(): Promise<boolean | undefined>
  /** Opens a session at the address past the pooler, or at that of the database. */
  readonly listen: Listen
  /** Whether Citus spreads the tables of accounts over nodes. Known after the first connection. */
  isSharded(): boolean
}

/**
 * Creates a connector. `bigint` values and their sums are returned as numbers. The first connection finds out whether
 * there is a pooler: its connections have other process numbers than those of the server.
 */
export async function createConnector(
  url: string,
  where: string,
  options: PostgresOptions,
  { onConnected, time }: { readonly onConnected: () => void; readonly time: DatabaseTime },
): Promise<Connector> {
  const { default: pg } = await import('pg')
  const config = readConnectionConfig(url)
  const {
    statementTimeoutMs = defaults.statementTimeoutMs,
    connectTimeoutMs = config.connectTimeoutMs ?? defaults.connectTimeoutMs,
    isPooled: given,
  } = options
  const base: ClientConfig & { pipeline: boolean } = {
    connectionString: config.connectionString,
    ...(config.ssl !== undefined && { ssl: config.ssl }),
    application_name: options.sessionName ?? defaults.sessionName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    query_timeout: statementTimeoutMs + answerGraceMs,
    // Statements are sent without waiting for the results of earlier ones.
    pipeline: true,
    types: {
      getTypeParser: ((id: number, format: 'text') =>
        id === int8 || id === numeric ? Number : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
    },
  }
  /** Limits of a connection, which a pooler refuses. */
  const limits = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
  }
  let isPooled = given
  let isInspected = false
  let isSharded = false

  async function open(config: ClientConfig): Promise<InstanceType<typeof pg.Client>> {
    const client = new pg.Client(config)
    usePasswordFile(client)
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      void client.end().catch(() => {})
      throw toStoreError(error, where)
    }
  }

  async function detectPooler(): Promise<boolean> {
    const client = await open(base)
    try {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      return rows[0]?.pid !== (client as unknown as { processID: number }).processID
    } catch (error) {
      throw toStoreError(error, where)
    } finally {
      void client.end().catch(() => {})
    }
  }

  /** Returns the rows of a command of PgBouncer, which answers those of the users in its stats_users in a database of its own. */
  async function askPooler(command: string): Promise<readonly Readonly<Record<string, string>>[] | undefined> {
    if (!isPooled || !URL.canParse(config.connectionString)) return undefined
    const url = new URL(config.connectionString)
    url.pathname = '/pgbouncer'
    const client = await open({ ...base, connectionString: url.href }).catch(() => undefined)
    try {
      return (await client?.query<Record<string, string>>(command))?.rows
    } catch {
      return undefined
    } finally {
      void client?.end().catch(() => {})
    }
  }

  async function readPoolerSettings(): Promise<PoolerSettings> {
    const rows = await askPooler('show config')
    return rows && Object.fromEntries(rows.map((it) => [it.key, it.value]))
  }

  async function isPoolerAlone(): Promise<boolean | undefined> {
    const rows = await askPooler('show pools')
    const name = URL.canParse(config.connectionString) ? new URL(config.connectionString).pathname.slice(1) : ''
    const counts = rows
      ?.filter((it) => it.database === name)
      .flatMap((it) => sessionsOf.map((state) => Number(it[state])))
    return counts && counts.length > 0 && counts.every((it) => it === 0)
  }

  /** Reads the time of the server. Before the first connection, refuses a server that cannot be used. */
  async function inspect(client: InstanceType<typeof pg.Client>): Promise<void> {
    const sentAt = realTime.monotonicMs()
    try {
      const { rows } = await client.query<ServerState>(readServerState)
      const state = rows[0]
      if (!state) return
      time.onAnswer(state.ms, sentAt, realTime.monotonicMs())
      if (!isInspected) {
        requireUsable(state, where)
        if (state.has_citus)
          isSharded = (await client.query<{ sharded: boolean }>(readSharded)).rows[0]?.sharded === true
        if (isSharded && options.isolation === 'serializable') throw serializableError(where)
      }
      isInspected = true
    } catch (error) {
      void client.end().catch(() => {})
      throw toStoreError(error, where)
    }
  }

  const listen: Listen = async (channel, onNotified, onEnded) => {
    const client = await open({ ...base, ...directConfig(config, options.directUrl) })
    const { processID } = client as unknown as { processID: number }
    client.on('notification', ({ processId }) => {
      if (processId !== processID) onNotified()
    })
    client.once('end', onEnded)
    try {
      await client.query(`listen ${channel}`)
    } catch (error) {
      client.off('end', onEnded)
      void client.end().catch(() => {})
      throw toStoreError(error, where)
    }
    return {
      notify: async () => void (await client.query(`notify ${channel}`)),
      end() {
        client.off('end', onEnded)
        void client.end().catch(() => {})
      },
    }
  }

  let detecting: Promise<boolean> | undefined
  async function connect(changes: ClientConfig): Promise<PostgresClient> {
    if (isPooled === undefined) {
      detecting ??= detectPooler().finally(() => {
        detecting = undefined
      })
      isPooled = await detecting
    }
    const client = await open({ ...base, ...(!isPooled && limits), ...changes })
    await inspect(client)
    onConnected()
    return new PostgresClient(client, { where, isPooled })
  }

  return {
    connect: () => connect({}),
    connectWithoutTimeout: () => connect({ query_timeout: 0 }),
    isPooled: () => isPooled === true,
    readPoolerSettings,
    isPoolerAlone,
    listen,
    isSharded: () => isSharded,
  }
}

/** Relative difference, at most, between the speed of the clock of this machine and that of the database. */
const maxDrift = 0.0005

/**
 * The time of the database, so that servers whose clocks differ agree on leases, due times and limits. It is computed
 * from the monotonic clock of this process and from the times in answers of the database. Times are in milliseconds.
 */
export class DatabaseTime {
  /** The difference between both clocks is between these values. */
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY
  #sampledAt = 0

  /** Takes the time of an answer into account. `sentAt` and `receivedAt` are values of `realTime.monotonicMs()`. */
  onAnswer(databaseMs: number, sentAt: number, receivedAt: number): void {
    const drift = (receivedAt - this.#sampledAt) * maxDrift
    const [low, high] = [databaseMs - receivedAt, databaseMs - sentAt]
    const [nextLow, nextHigh] = [Math.max(low, this.#low - drift), Math.min(high, this.#high + drift)]
    // After a failover, another machine has another time.
    const isConsistent = nextLow <= nextHigh
    this.#low = isConsistent ? nextLow : low
    this.#high = isConsistent ? nextHigh : high
    this.#sampledAt = receivedAt
  }

  /** Returns the time of the database; that of this machine before the first answer. */
  now(): number {
    if (this.#sampledAt === 0) return realTime.now()
    return Math.round(realTime.monotonicMs() + (this.#low + this.#high) / 2)
  }
}
