// What the tests on Citus refuse, seen in the notices of the coordinator: a transaction that Citus commits in two parts, on a shard
// and on the coordinator, so that a crash in between saves one of them; and a statement of the platform that reaches
// several shards, or whose rows Citus collects on the coordinator, and is not one of the uses across accounts.

import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { platformTables } from '../../../src/platform/store/database/platform-tables.ts'
import { PostgresClient } from '../../../src/platform/store/postgres/postgres-client.ts'
import { TransactionWriter } from '../../../src/platform/store/postgres/transaction-writer.ts'
import { isUseAcrossAccounts } from './uses-across-accounts.ts'

const localTables = Object.entries(platformTables).flatMap(([name, { place }]) => (place === 'local' ? [name] : []))

/**
 * Statements for the coordinator, before it is used. The plan of a prepared statement for all values would count as one that
 * reaches several shards, although it never does.
 */
export const watchSettings: readonly string[] = [
  'alter role current_user set citus.log_remote_commands = on',
  'alter role current_user set citus.multi_task_query_log_level = notice',
  'alter role current_user set plan_cache_mode = force_custom_plan',
]

/** Statements for the database: a transaction that has written a local table says so right before its COMMIT. */
export const watchTriggers: readonly string[] = [
  `create function note_local_write() returns trigger language plpgsql as $$
    begin raise notice 'local write: %', tg_table_name; return null; end $$`,
  ...localTables.map(
    (table) =>
      `create constraint trigger note_local_write after insert or update or delete on ${table} deferrable initially deferred
        for each row execute function note_local_write()`,
  ),
]

/** What the present transaction of a session has written. */
interface Writes {
  readonly local: Set<string>
  readonly remote: Set<string>
}

const sessions = new WeakMap<object, Writes>()
/** Whether the body of a transaction is that of a source file, and not of a test. */
const isBodyOfSources = new AsyncLocalStorage<boolean>()
/** Statements that source files have sent. */
const ownStatements = new Set<string>()
const refused = new Set<string>()

interface WatchedClient {
  _handleNotice(message: { readonly message?: string }): void
  _getActiveQuery(): { readonly text?: string } | null
}

/** Reads the notices of each connection of this process from now on. */
export function watchNotices(): void {
  const client = pg.Client.prototype as unknown as WatchedClient & { isWatched?: boolean }
  if (client.isWatched) return
  client.isWatched = true
  const handle = client._handleNotice
  client._handleNotice = function (message) {
    note(this, message.message ?? '')
    handle.call(this, message)
  }
  TransactionWriter.prototype.write = new Proxy(TransactionWriter.prototype.write, {
    apply(write, writer, [scope, body]) {
      const isOwn = isSentBySources()
      return Reflect.apply(write, writer, [scope, (query: unknown) => isBodyOfSources.run(isOwn, () => body(query))])
    },
  })
  for (const name of ['execute', 'executeTogether'] as const) {
    const run = PostgresClient.prototype[name]
    PostgresClient.prototype[name] = function (sql, parameters = []) {
      if (!ownStatements.has(sql) && isSentBySources()) ownStatements.add(sql)
      return run.call(this, sql, parameters)
    }
  }
}

/** Returns whether the nearest caller outside the drivers and query builders is a source file, and not a test. */
function isSentBySources(): boolean {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 100
  const lines = new Error().stack?.split('\n') ?? []
  Error.stackTraceLimit = limit
  const drivers =
    /\/(?:citus-watch|src\/platform\/store\/(?:postgres\/|database\/(?:compiled-query|account-query|connection)))/
  const nearest = lines.find(
    (it) => /\/(?:src|test)\//.test(it) && !/\/node_modules\/(?!\.cache)/.test(it) && !drivers.test(it),
  )
  return nearest === undefined ? (isBodyOfSources.getStore() ?? true) : !/\/test\//.test(nearest)
}

/** Throws an Error that names what was refused since the last call. */
export function requireNothingRefused(): void {
  const found = [...refused]
  refused.clear()
  if (found.length > 0) throw new Error(found.join('\n'))
}

function note(client: WatchedClient, message: string): void {
  const writes = sessions.get(client) ?? { local: new Set(), remote: new Set() }
  sessions.set(client, writes)
  const local = /^local write: (\w+)$/.exec(message)?.[1]
  if (local) writes.local.add(local)
  const refuse = (what: string): void => {
    const statement = client._getActiveQuery()?.text
    if (statement && ownStatements.has(statement) && !isUseAcrossAccounts(statement))
      refused.add(`${what}: ${statement}`)
  }
  if (message.startsWith('multi-task query')) refuse('A statement that reaches several shards')
  const remote = /^issuing ([\s\S]*)$/.exec(message)?.[1]
  if (remote === undefined) return
  // Citus writes rows that it has selected itself with COPY, or stores them so for the insert, and commits that in two phases.
  if (/^copy\b/i.test(remote)) refuse('A statement whose rows are collected on the coordinator')
  const table = /^(?:insert into|update|delete from|with [\s\S]*) (?:public\.)?(\w+)_\d+/i.exec(remote)?.[1]
  if (table) writes.remote.add(table)
  // Citus ends a transaction of one shard with a COMMIT, and any other one with a two-phase commit.
  if (/^commit\b(?! prepared)/i.test(remote) && writes.local.size > 0 && writes.remote.size > 0)
    refused.add(
      `A transaction that is committed in two parts: ${[...writes.local].join(', ')} on the coordinator, ${[...writes.remote].join(', ')} on a shard.`,
    )
  if (/^(?:begin|commit|prepare|rollback(?! to))\b/i.test(remote)) {
    writes.local.clear()
    writes.remote.clear()
  }
}
