import type { ClientConfig } from 'pg'
import type { Connect } from './client-pools.ts'
import type { DatabaseTime } from './database-time.ts'
import { PostgresClient } from './postgres-client.ts'
import { toStoreError } from './postgres-store-errors.ts'
import { defaults, idleTransactionTimeoutMs, type PostgresOptions } from './settings.ts'

const int8 = 20
const numeric = 1700

/** Milliseconds more than a statement may take, after which a connection without an answer counts as lost. */
const answerGraceMs = 5000

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
  const {
    statementTimeoutMs = defaults.statementTimeoutMs,
    connectTimeoutMs = defaults.connectTimeoutMs,
    isPooled: given,
  } = options
  const base: ClientConfig & { pipeline: boolean } = {
    connectionString: url,
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

  async function open(config: ClientConfig): Promise<InstanceType<typeof pg.Client>> {
    const client = new pg.Client(config)
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

  async function readTime(client: InstanceType<typeof pg.Client>): Promise<void> {
    const sentAt = performance.now()
    try {
      const { rows } = await client.query<{ ms: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      )
      time.onAnswer(rows[0]?.ms ?? Date.now(), sentAt, performance.now())
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
      await readTime(client)
      onConnected()
      return new PostgresClient(client, { where, isPooled })
    },
    isPooled: () => isPooled === true,
  }
}
