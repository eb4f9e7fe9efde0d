import { Kysely } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { ExclusiveClients, SharedClients } from './client-pools.ts'
import { CoalescedReads } from './coalesced-reads.ts'
import { purgeMarkers } from './commit-marker.ts'
import { createConnector } from './connect.ts'
import { DatabaseTime } from './database-time.ts'
import { postgresDialect } from './kysely-dialect.ts'
import { createReconnect } from './reconnect.ts'
import { databaseLocation, defaults, type PostgresOptions, transactionLimits } from './settings.ts'
import type { ClockRowCache } from './transaction.ts'
import { TransactionWriter } from './transaction-writer.ts'

/** Advisory lock of this program, "prly" and a number: one process changes the schema at a time. */
const schemaLockKey = 0x70_72_6c_79_01

/** Number of commits between two purges of their markers. */
const purgeInterval = 5000

/**
 * Opens a database on a server. Transactions take the lock of what they decide on (`WriteScope`), so that services can
 * decide as on SQLite, where transactions run one at a time. `bigint` values and their sums are returned as numbers.
 * Connects at the first query, which rejects with StoreError if that fails.
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const where = databaseLocation(url)
  const reconnect = createReconnect(options.reconnectMs ?? defaults.reconnectMs)
  const time = new DatabaseTime()
  const { connect, isPooled } = await createConnector(url, where, options, {
    onConnected: () => reconnect.onConnected(),
    time,
  })
  const connections = Math.max(2, options.connections ?? defaults.connections)
  const readers = new SharedClients(connect, Math.max(1, Math.floor(connections / 3)))
  const clients = new ExclusiveClients(connect, connections - Math.max(1, Math.floor(connections / 3)))
  const coalesced = new CoalescedReads()
  const clock: ClockRowCache = { row: undefined, onChanged: () => coalesced.clear() }
  const limits = (): string[] =>
    isPooled() ? transactionLimits(options.statementTimeoutMs ?? defaults.statementTimeoutMs) : []
  const writer = new TransactionWriter({
    clients,
    connect,
    where,
    isolation: options.isolation ?? defaults.isolation,
    limits,
    clock,
    time,
    reconnect,
  })
  const read = new Kysely<Tables>({
    dialect: postgresDialect((sql, parameters) =>
      reconnect.run(async () => (await readers.pick()).execute(sql, parameters)),
    ),
  })
  let closing: Promise<void> | undefined
  let purgedAt = 0

  /** Runs `body` in a transaction of its own, which only this method waits for. */
  async function runExclusively<T>(body: (query: Query) => Promise<T>): Promise<T> {
    const client = await clients.acquire('locking')
    try {
      // The lock comes before the first statement that reads, so that it sees what others have changed.
      await client.runScript([
        'begin isolation level read committed',
        'set local statement_timeout = 0',
        `select pg_advisory_xact_lock(${schemaLockKey})`,
      ])
      const query = new Kysely<Tables>({
        dialect: postgresDialect((sql, parameters) => client.execute(sql, parameters)),
      })
      const value = await body(query)
      await client.runScript(['commit'])
      return value
    } catch (error) {
      if (!client.isBroken) await client.runScript(['rollback']).catch(() => {})
      throw error
    } finally {
      clients.release(client, 'locking')
    }
  }

  /** Purges markers now and then, after a transaction, and not while it waits. */
  function purgeSometimes(): void {
    if (writer.statistics.committed - purgedAt < purgeInterval) return
    purgedAt = writer.statistics.committed
    void readers
      .pick()
      .then((client) => purgeMarkers(client))
      .catch(() => {})
  }

  async function close(): Promise<void> {
    await writer.close()
    await Promise.all([clients.close(), readers.close()])
  }

  return {
    dialect: 'postgres',
    wall: () => time.now(),
    location: where,
    read,
    async write(scope, body) {
      const value = await writer.write(scope, body)
      purgeSometimes()
      return value
    },
    cachedRead: (key, read, maxAgeMs) =>
      maxAgeMs === undefined ? coalesced.read(key, read) : coalesced.readRecent(key, read, maxAgeMs),
    runExclusively,
    statistics: () => ({
      transactions: writer.statistics,
      pool: { transactions: clients.load, reads: readers.load },
    }),
    close: () => (closing ??= close()),
  }
}
