import { Kysely } from 'kysely'
import { realTime } from '../../../node/real-time.ts'
import { keepAccountQueries } from '../database/account-query.ts'
import type { Database, PlatformQuery, RunStatements } from '../database/connection.ts'
import type { Tables } from '../database/tables.ts'
import { ExclusiveClients, SharedClients } from './client-pools.ts'
import { createConnector, DatabaseTime } from './connect.ts'
import { placeTables } from './distribution.ts'
import { JobHints } from './job-hints.ts'
import { KnownClock } from './known-clock.ts'
import { postgresDialect } from './kysely-dialect.ts'
import type { PostgresClient } from './postgres-client.ts'
import { findSettingProblems } from './setting-problems.ts'
import { databaseLocation, defaults, type PostgresOptions, transactionLimits } from './settings.ts'
import { purgeMarkers } from './transaction.ts'
import { createReconnect, TransactionWriter } from './transaction-writer.ts'

interface Reads {
  readonly current: Promise<unknown>
  next: Promise<unknown> | undefined
}

/**
 * Shares a read among callers that ask for the same at the same time. A caller never receives the result of a read that
 * began before its call, so that it sees everything that was committed by then, on any server: callers that come during
 * a read share the next one.
 */
class CoalescedReads {
  readonly #reads = new Map<string, Reads>()
  /** Results that may be used again for a while. */
  readonly #results = new Map<string, { readonly value: unknown; readonly startedAt: number }>()

  read<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(key)
    if (!known) return this.#start(key, read)
    known.next ??= known.current.then(
      () => this.#start(key, read),
      () => this.#start(key, read),
    )
    return known.next as Promise<T>
  }

  /** Returns a result whose read began at most `maxAgeMs` ago, else reads. */
  async readRecent<T>(key: string, read: () => Promise<T>, maxAgeMs: number): Promise<T> {
    const known = this.#results.get(key)
    if (known && realTime.monotonicMs() - known.startedAt <= maxAgeMs) return known.value as T
    const startedAt = realTime.monotonicMs()
    const value = await this.read(key, read)
    this.#results.set(key, { value, startedAt })
    return value
  }

  /** Forgets results, because this process has changed what they depend on. */
  clear(): void {
    this.#results.clear()
  }

  #start<T>(key: string, read: () => Promise<T>): Promise<T> {
    const current = read()
    const reads: Reads = { current, next: undefined }
    this.#reads.set(key, reads)
    const end = (): void => {
      if (reads.next === undefined) this.#reads.delete(key)
    }
    current.then(end, end)
    return current
  }
}

/** Advisory lock of this program, "prly" and a number: one process changes the schema at a time. */
const schemaLockKey = 0x70_72_6c_79_01

/** Settings of a connection for long statements. The server ends it if this process dies (PostgreSQL 14 and later). */
const unlimited = [
  'set statement_timeout = 0',
  'set lock_timeout = 0',
  "select set_config(name, '1000', false) from pg_settings where name = 'client_connection_check_interval'",
]

/** Runs statements, several together in a transaction. Citus passes what is sent at once to its nodes as one statement. */
async function runTogether(client: PostgresClient, statements: readonly string[]): Promise<void> {
  if (statements.length <= 1) return void (await client.runScript(statements))
  try {
    for (const statement of ['begin', ...statements, 'commit']) await client.runScript([statement])
  } catch (error) {
    if (!client.isBroken) await client.runScript(['rollback']).catch(() => {})
    throw error
  }
}

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
  const { connect, connectWithoutTimeout, isPooled, isPoolerAlone, isSharded, listen, readPoolerSettings } =
    await createConnector(url, where, options, { onConnected: () => reconnect.onConnected(), time })
  const connections = Math.max(2, options.connections ?? defaults.connections)
  const readers = new SharedClients(connect, Math.max(1, Math.floor(connections / 3)))
  const clients = new ExclusiveClients(connect, connections - Math.max(1, Math.floor(connections / 3)))
  const coalesced = new CoalescedReads()
  const clock = new KnownClock(() => coalesced.clear())
  const limits = (): string[] =>
    isPooled() ? transactionLimits(options.statementTimeoutMs ?? defaults.statementTimeoutMs) : []
  const jobWatchers: ((account: number | undefined) => void)[] = []
  let hints: JobHints | undefined
  const writer = new TransactionWriter({
    clients,
    connect,
    where,
    isolation: options.isolation ?? defaults.isolation,
    isSharded,
    limits,
    clock,
    time,
    reconnect,
    onJobsChanged(account) {
      for (const onChanged of jobWatchers) onChanged(account)
      hints?.send()
    },
  })
  const read = keepAccountQueries(
    new Kysely<Tables>({
      dialect: postgresDialect((sql, parameters, { account, isSingleRow }) => {
        // Citus would open a transaction on the nodes for those that are sent together.
        const isShort = isSingleRow && !isSharded()
        return reconnect.run(() => readers.execute(sql, parameters, account, isShort))
      }),
    }),
  )
  let closing: Promise<void> | undefined
  let purgedAt = 0

  /** Runs `body` in a transaction of its own, which only this method waits for. */
  async function runExclusively<T>(body: (query: PlatformQuery) => Promise<T>): Promise<T> {
    const client = await connectWithoutTimeout()
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
      await client.end()
    }
  }

  async function withSession<T>(body: (run: RunStatements) => Promise<T>): Promise<T> {
    const client = await connectWithoutTimeout()
    try {
      // A pooler refuses settings of a connection, and has no limits of this program.
      if (!isPooled()) await client.runScript(unlimited)
      return await body((...statements) => runTogether(client, statements))
    } finally {
      await client.end()
    }
  }

  /** Purges markers now and then, after a transaction, and not while it waits. */
  function purgeSometimes(): void {
    if (writer.statistics.committed - purgedAt < purgeInterval) return
    purgedAt = writer.statistics.committed
    void readers
      .pick(0)
      .then((client) => purgeMarkers(client, isSharded()))
      .catch(() => {})
  }

  async function close(): Promise<void> {
    hints?.close()
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
    isSharded,
    watchJobs: (onChanged) => void jobWatchers.push(onChanged),
    exchangeJobHints() {
      // On shards, all servers would look for the jobs that the first one has started already.
      if (isSharded() || (isPooled() && options.directUrl === undefined)) return
      hints ??= new JobHints(listen, () => {
        for (const onChanged of jobWatchers) onChanged(undefined)
      })
    },
    runExclusively,
    withSession,
    placeTables,
    isPooled,
    isPoolerAlone,
    findSettingProblems: async () => (isPooled() ? findSettingProblems(read, await readPoolerSettings(), options) : []),
    statistics: () => ({
      transactions: writer.statistics,
      pool: { transactions: clients.load, reads: readers.load },
    }),
    close: () => (closing ??= close()),
  }
}
