import type { Client, ClientConfig } from 'pg'
import { realTime } from '../../node/real-time.ts'
import { StoreError } from '../database/store-error.ts'
import type { Connect } from './client-pools.ts'
import { readConnectionConfig } from './connection-config.ts'
import type { DatabaseTime } from './database-time.ts'
import { readPasswordFile } from './password-file.ts'
import { PostgresClient } from './postgres-client.ts'
import { storeError, toStoreError } from './postgres-store-errors.ts'
import { defaults, idleTransactionTimeoutMs, type PostgresOptions } from './settings.ts'

const int8 = 20
const numeric = 1700

/** Milliseconds more than a statement may take, after which a connection without an answer counts as lost. */
const answerGraceMs = 5000

interface ServerState {
  readonly ms: number
  readonly encoding: string
  readonly read_only: string
}

const readServerState = `select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms,
  current_setting('server_encoding') as encoding, current_setting('transaction_read_only') as read_only`

/** Throws StoreError for a server that can only be read, and for a database that cannot store every text. */
function assertUsable({ encoding, read_only }: ServerState, where: string): void {
  if (read_only === 'on') throw storeError('read_only', where)
  if (encoding !== 'UTF8')
    throw new StoreError(
      'unopenable',
      `The database ${where} has the encoding ${encoding}. Parley needs UTF8: create database <name> encoding 'UTF8' template template0.`,
    )
}

/** Lets a connection without a password look into the password file when the server asks for one. */
function usePasswordFile(client: Client): void {
  const subject = client as unknown as { password: unknown; host: string; port: number; database: string; user: string }
  if (!subject.password) subject.password = async () => readPasswordFile(subject) ?? ''
}

/** Opens connections to one database. */
export interface Connector {
  readonly connect: Connect
  /** Whether a pooler in transaction mode is in front of the database. Known after the first connection. */
  isPooled(): boolean
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
    application_name: 'parley',
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

  /** Reads the time of the server. Before the first connection, refuses a server that cannot be used. */
  async function inspect(client: InstanceType<typeof pg.Client>): Promise<void> {
    const sentAt = realTime.monotonicMs()
    try {
      const { rows } = await client.query<ServerState>(readServerState)
      const state = rows[0]
      if (!state) return
      time.onAnswer(state.ms, sentAt, realTime.monotonicMs())
      if (!isInspected) assertUsable(state, where)
      isInspected = true
    } catch (error) {
      void client.end().catch(() => {})
      throw toStoreError(error, where)
    }
  }

  let detecting: Promise<boolean> | undefined
  return {
    async connect() {
      if (isPooled === undefined) {
        detecting ??= detectPooler().finally(() => {
          detecting = undefined
        })
        isPooled = await detecting
      }
      const client = await open(isPooled ? base : { ...base, ...limits })
      await inspect(client)
      onConnected()
      return new PostgresClient(client, { where, isPooled })
    },
    isPooled: () => isPooled === true,
  }
}
