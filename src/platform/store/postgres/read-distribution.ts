// How the tables of a database are spread over the nodes of Citus, and what their sessions may use. Reads only.

import { type RawBuilder, sql } from 'kysely'
import { accountTables } from '../database/account-tables.ts'
import type { Query } from '../database/connection.ts'
import { readMeta } from '../database/meta.ts'
import { platformTables } from '../database/platform-tables.ts'
import { isNodeAway } from '../database/store-error.ts'
import { distributionKey, parseDistribution, type StoredDistribution } from '../database/unfinished-distribution.ts'
import { readSharded } from './connect.ts'
import { defaults } from './settings.ts'

/** A node of Citus. The CLI prints nodes and tables as JSON with these names (transfer-schemas.ts). */
export interface DistributionNode {
  /** `host:port` */
  readonly node: string
  readonly role: 'coordinator' | 'worker'
  readonly is_active: boolean
  /** Whether new shards are placed on it. */
  readonly has_shards: boolean
}

/** A table of Parley. */
export interface DistributionTable {
  readonly table: string
  readonly kind: 'distributed' | 'reference' | 'local'
  readonly shards: number
  /** Null while a node with some of them does not answer. */
  readonly rows: number | null
  readonly bytes: number
}

/** How the tables of a database are spread over nodes. */
export interface Distribution {
  /** Version of the extension; undefined if the database does not have it. */
  readonly version: string | undefined
  /** Whether the tables of accounts are spread over nodes. */
  readonly isDistributed: boolean
  /** What was stored when the distribution began. */
  readonly stored: StoredDistribution | undefined
  readonly nodes: readonly DistributionNode[]
  readonly tables: readonly DistributionTable[]
}

/** Returns the version of Citus in a database; undefined if it does not have the extension. */
export async function readCitusVersion(query: Query): Promise<string | undefined> {
  const { rows } = await sql<{
    version: string
  }>`select extversion as version from pg_extension where extname = 'citus'`.execute(query)
  return rows[0]?.version
}

/** Returns whether the tables of accounts are spread over the nodes of Citus. */
export async function isDistributed(query: Query): Promise<boolean> {
  if ((await readCitusVersion(query)) === undefined) return false
  return (await sql.raw<{ sharded: boolean }>(readSharded).execute(query)).rows[0]?.sharded === true
}

/** Returns the number of rows of tables. */
export async function countRows(query: Query, tables: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(query)
    counts[table] = Number(rows[0]?.n)
  }
  return counts
}

/** Returns how the tables of a database are spread over nodes. */
export async function readDistribution(query: Query): Promise<Distribution> {
  const version = await readCitusVersion(query)
  const nodes = version === undefined ? [] : await readNodes(query)
  const tables = await readTables(query, version !== undefined)
  return {
    version,
    isDistributed: await isDistributed(query),
    stored: parseDistribution(await readMeta(query, distributionKey)),
    nodes,
    tables: await Promise.all(tables.map(async (it) => ({ ...it, rows: await countIfReachable(query, it.table) }))),
  }
}

/** Returns the number of rows of a table; null while a node does not answer. */
async function countIfReachable(query: Query, table: string): Promise<number | null> {
  try {
    return (await countRows(query, [table]))[table] ?? 0
  } catch (error) {
    if (!isNodeAway(error)) throw error
    return null
  }
}

/** Returns the nodes of Citus, the coordinator first. */
export async function readNodes(query: Query): Promise<readonly DistributionNode[]> {
  const { rows } = await sql<DistributionNode>`
    select nodename || ':' || nodeport as node, case groupid when 0 then 'coordinator' else 'worker' end as role,
      isactive as is_active, shouldhaveshards as has_shards
    from pg_dist_node where noderole = 'primary' order by groupid, nodeid`.execute(query)
  return rows
}

async function readTables(query: Query, hasCitus: boolean): Promise<readonly Omit<DistributionTable, 'rows'>[]> {
  const placed = hasCitus
    ? sql`select p.logicalrelid::oid as oid, p.partmethod::text as method,
        (select count(*)::int from pg_dist_shard s where s.logicalrelid = p.logicalrelid) as shards from pg_dist_partition p`
    : sql`select null::oid as oid, null::text as method, 0 as shards where false`
  const size = hasCitus
    ? sql`coalesce(case when p.method is null
        then pg_total_relation_size(c.oid) else citus_total_relation_size(c.oid, fail_on_error => false) end, 0)`
    : sql`pg_total_relation_size(c.oid)`
  const { rows } = await sql<Omit<DistributionTable, 'rows'>>`
    select c.relname as table, case when p.method is null then 'local' when p.method = 'h' then 'distributed' else 'reference' end as kind,
      coalesce(p.shards, 0) as shards, ${size}::bigint as bytes
    from pg_class c left join (${placed}) p on p.oid = c.oid
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname::text = any(${ownTables}::text[])
    order by 1`.execute(query)
  return rows
}

/** A database may also have tables of other programs. */
const ownTables: readonly string[] = [...accountTables, ...Object.keys(platformTables)]

/** Connections that sessions may open to the nodes. */
export interface ConnectionBudget {
  /** Maximum number of connections to one node that a session opens for one statement over several shards. */
  readonly perSession: number
  /** Sessions of Parley that are open. */
  readonly sessions: number
  /** `max_connections` of each node, by `host:port`; undefined for a node that does not answer. */
  readonly limits: Readonly<Record<string, number | undefined>>
}

/** Setting with the maximum number of connections to one node that a session opens for one statement. */
export const poolSetting = 'citus.max_adaptive_executor_pool_size'

/** Returns what sessions may open. Only for a database with Citus. */
export async function readConnectionBudget(query: Query): Promise<ConnectionBudget> {
  const { rows } = await sql<{ node: string; found: string; is_answered: boolean }>`
    select n.nodename || ':' || n.nodeport as node, r.result as found, r.success as is_answered
    from run_command_on_all_nodes('show max_connections') r join pg_dist_node n on n.nodeid = r.nodeid`.execute(query)
  const setting = await readOne<{ size: number }>(query, sql`select current_setting(${poolSetting})::int as size`)
  const open = await readOne<{ n: number }>(
    query,
    sql`select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = ${defaults.sessionName}`,
  )
  return {
    perSession: setting.size,
    sessions: open.n,
    limits: Object.fromEntries(rows.map((it) => [it.node, it.is_answered ? Number(it.found) : undefined])),
  }
}

async function readOne<T>(query: Query, statement: RawBuilder<unknown>): Promise<T> {
  return (await statement.execute(query)).rows[0] as T
}

/** Returns the nodes that do not answer, or that other nodes cannot reach: `a:5432 from b:5432`. */
export async function findUnreachableNodes(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ path: string }>`
    select to_nodename || ':' || to_nodeport || ' from ' || from_nodename || ':' || from_nodeport as path
    from citus_check_cluster_node_health() where result is not true`.execute(query)
  return rows.map((it) => it.path)
}

/** A process that uses a database: a server with its name and version, or a session of one that is not in the list of servers. */
export interface DatabaseUser {
  readonly name: string
  readonly version: string | undefined
  /** Seconds since it was heard of. */
  readonly age: number
}

/**
 * Returns the servers of a database, and the sessions of Parley that are open: commands do not appear as servers. Sessions
 * of a distribution do not count.
 */
export async function listDatabaseUsers(
  query: Query,
): Promise<{ readonly servers: readonly DatabaseUser[]; readonly sessions: readonly DatabaseUser[] }> {
  const servers = await sql<DatabaseUser>`
    select coalesce(url, 'process ' || pid || ' on ' || host) as name, version,
      greatest(0, round((extract(epoch from clock_timestamp()) * 1000 - seen_at) / 1000))::int as age
    from server_node order by started_at`.execute(query)
  const sessions = await sql<DatabaseUser>`
    select 'session ' || pid || ' from ' || coalesce(host(client_addr), 'this machine') as name, null as version,
      greatest(0, round(extract(epoch from clock_timestamp() - coalesce(state_change, backend_start))))::int as age
    from pg_stat_activity where datname = current_database() and application_name = ${defaults.sessionName} order by pid`.execute(
    query,
  )
  return { servers: servers.rows, sessions: sessions.rows }
}
