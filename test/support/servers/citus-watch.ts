// What the tests on Citus refuse, seen in the notices of the coordinator: a transaction that Citus commits in two parts, on a shard
// and on the coordinator, so that a crash in between saves one of them.

import pg from 'pg'
import { platformTables } from '../../../src/platform/store/database/account-tables.ts'

const localTables = Object.entries(platformTables).flatMap(([name, { place }]) => (place === 'local' ? [name] : []))

/** Statements for the coordinator, before it is used. */
export const watchSettings: readonly string[] = ['alter role current_user set citus.log_remote_commands = on']

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
const refused = new Set<string>()

interface WatchedClient {
  _handleNotice(message: { readonly message?: string }): void
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
  const remote = /^issuing ([\s\S]*)$/.exec(message)?.[1]
  if (remote === undefined) return
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
