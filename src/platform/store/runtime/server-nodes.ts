import { type Insertable, type Selectable, sql } from 'kysely'
import type { PlatformQuery } from '../database/connection.ts'
import type { ServerNodeTable } from './tables.ts'

type ServerNodeRow = Selectable<ServerNodeTable>

/** Milliseconds without a heartbeat after which other servers take over the jobs of a server. */
export const nodeTimeoutMs = 3500

/** Inserts a server, or renews its heartbeat at a time of the database. Returns whether it was asked to drain. */
export async function recordHeartbeat(
  query: PlatformQuery,
  node: Insertable<ServerNodeTable>,
): Promise<Pick<ServerNodeRow, 'drain_requested'>> {
  const { id: _, started_at: __, ...changes } = node
  return query
    .insertInto('server_node')
    .values(node)
    .onConflict((it) => it.column('id').doUpdateSet(changes))
    .returning('drain_requested')
    .executeTakeFirstOrThrow()
}

/** Asks a server to finish its work and stop, at its next heartbeat. Returns false if there is no such server. */
export async function requestDrain(query: PlatformQuery, id: string): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('server_node')
    .set({ drain_requested: 1 })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Removes a server that has ended. */
export async function deleteNode(query: PlatformQuery, id: string): Promise<void> {
  await query.deleteFrom('server_node').where('id', '=', id).execute()
}

/** Removes servers without a heartbeat since a time in milliseconds. */
export async function deleteSilentNodes(query: PlatformQuery, since: number): Promise<void> {
  await query.deleteFrom('server_node').where('seen_at', '<', since).execute()
}

/** Returns all servers, oldest first, each with the number of jobs it has leased. */
export const listNodes = (query: PlatformQuery): Promise<(ServerNodeRow & { readonly leases: number })[]> =>
  query
    .selectFrom('server_node as n')
    .leftJoin(
      (builder) =>
        builder
          .selectFrom('due')
          .where('lease_owner', 'is not', null)
          .groupBy('lease_owner')
          .select(['lease_owner', builder.fn.countAll<number>().as('leases')])
          .as('l'),
      (join) => join.onRef('l.lease_owner', '=', 'n.id'),
    )
    .selectAll('n')
    .select((it) => it.fn.coalesce('l.leases', sql.lit(0)).as('leases'))
    .orderBy('n.started_at')
    .execute() as Promise<(ServerNodeRow & { readonly leases: number })[]>

/** Returns the servers with the time in milliseconds of their last heartbeat. */
export const listHeartbeats = (query: PlatformQuery): Promise<Pick<ServerNodeRow, 'id' | 'seen_at'>[]> =>
  query.selectFrom('server_node').select(['id', 'seen_at']).execute()

/** Returns the ids of servers that have fallen silent, at a time of the database in milliseconds. */
export const listSilentNodeIds = async (query: PlatformQuery, wall: number): Promise<string[]> =>
  (
    await query
      .selectFrom('server_node')
      .select('id')
      .where('seen_at', '<=', wall - nodeTimeoutMs)
      .execute()
  ).map((it) => it.id)
