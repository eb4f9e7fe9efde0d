import type { Insertable, Selectable } from 'kysely'
import type { PlatformQuery } from '../database/connection.ts'
import { ifNodesAnswer } from '../database/store-error.ts'
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

/** A server, with the number of jobs it has leased; null while a node of the database does not answer. */
type LeasingNode = ServerNodeRow & { readonly leases: number | null }

/** Returns all servers, oldest first. */
export async function listNodes(query: PlatformQuery): Promise<LeasingNode[]> {
  const nodes = await query.selectFrom('server_node').selectAll().orderBy('started_at').execute()
  const counts = await ifNodesAnswer(
    query
      .selectFrom('due')
      .where('lease_owner', 'is not', null)
      .groupBy('lease_owner')
      .select((it) => ['lease_owner as owner', it.fn.countAll<number>().as('leases')])
      .execute(),
  )
  const leases = new Map(counts?.map((it) => [it.owner, Number(it.leases)]))
  return nodes.map((node) => ({ ...node, leases: counts ? (leases.get(node.id) ?? 0) : null }))
}

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
