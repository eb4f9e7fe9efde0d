// Spreads the tables of accounts over the nodes of Citus, for `parley server database`: what is planned, what prevents it,
// and what was done.

import { dataFiles } from '../../../node/data-files.ts'
import { parseDatabaseUrl } from '../../../node/database-url.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Database, Query } from '../../store/database/connection.ts'
import { readMetaValues } from '../../store/database/meta.ts'
import { schemaVersionKey } from '../../store/database/migrate.ts'
import { platformTables } from '../../store/database/platform-tables.ts'
import { schemaVersion } from '../../store/migrations/index.ts'
import { distribute, findDistributionSteps } from '../../store/postgres/distribution.ts'
import { openPostgres } from '../../store/postgres/open-postgres.ts'
import {
  type Distribution,
  type DistributionNode,
  type DistributionTable,
  findUnreachableNodes,
  listDatabaseUsers,
  readCitusVersion,
  readConnectionBudget,
  readDistribution,
  readNodes,
} from '../../store/postgres/read-distribution.ts'
import { nodeTimeoutMs } from '../../store/runtime/server-nodes.ts'
import { withKnownPassword } from '../data-folder/choose-database.ts'
import { readDatabaseFile, type StoredDatabase } from '../data-folder/database-file.ts'
import type { DatabaseSettings } from '../data-folder/database-settings.ts'
import { databaseIdKey } from '../data-folder/shared-secrets.ts'
import { TransferRefused } from './transfer-refused.ts'

/** The database to spread: one that is given, or that of a data folder. */
export interface DistributionTarget {
  readonly dataDir: string
  readonly database: DatabaseSettings
}

/** `local`: on one PostgreSQL, or the coordinator. `unfinished`: a distribution was interrupted. */
type DistributionState = 'local' | 'unfinished' | 'distributed'

/** A node, with what it accepts. */
interface NodeStatus extends DistributionNode {
  /** Null if it does not answer. */
  readonly max_connections: number | null
  /** Sessions whose statements over several shards it can answer at the same time. */
  readonly sessions: number | null
}

/**
 * How the tables of a database are spread. The CLI prints this, a plan and a result as JSON with these names, which
 * scripts read: transfer-schemas.ts describes them.
 */
export interface DatabaseStatus {
  readonly database: string
  readonly state: DistributionState
  /** Version of Citus; null for a database without it. */
  readonly citus: string | null
  /** Version of the schema. */
  readonly schema: number
  /** Number of shards of each distributed table. */
  readonly shards: number | null
  /** Steps of an interrupted distribution that are known to be left. */
  readonly steps_left: number
  readonly nodes: readonly NodeStatus[]
  /** Connections to one node that a session opens at most for one statement over several shards. */
  readonly connections_per_session: number | null
  /** Sessions of Parley that are open now. */
  readonly sessions: number | null
  readonly tables: readonly DistributionTable[]
}

/** Where a table will be. */
interface PlannedTable {
  readonly table: string
  readonly place: DistributionTable['kind']
  readonly rows: number
  readonly bytes: number
  /** Why it has no account; null for a distributed one. */
  readonly reason: string | null
}

/** What a distribution would do. */
export interface DistributionPlan {
  readonly database: string
  readonly state: DistributionState
  readonly citus: string
  readonly schema: number
  readonly shards: number
  readonly accounts: number
  readonly nodes: readonly DistributionNode[]
  readonly tables: readonly PlannedTable[]
  /** Names of keys without the account, which shards cannot have. */
  readonly dropped: readonly string[]
  /** Estimated seconds for which no server can use the database. */
  readonly estimated_seconds: number
  readonly estimate: string
  /** Servers and sessions that must end first. */
  readonly users: readonly string[]
  readonly warnings: readonly string[]
}

/** What a distribution has done. */
export interface DistributionResult extends DistributionPlan {
  readonly steps: readonly { readonly step: string; readonly ms: number }[]
  /** Measured seconds for which no server could use the database. */
  readonly seconds: number
}

/** Options of a distribution that was agreed to. */
interface AgreedDistribution {
  readonly plan: DistributionPlan
  /** Receives each step before it runs, and its number. What it throws ends the distribution, which can be continued. */
  readonly onStep: (text: string, number: number) => void
}

/** An open database whose tables can be spread. */
export interface DistributionAccess {
  status(): Promise<DatabaseStatus>
  /** Plans a distribution (default: 32 shards, or those of an interrupted one). Rejects with TransferRefused where none is possible. */
  plan(shards?: number): Promise<DistributionPlan>
  /** Throws TransferRefused if servers or commands use the database. */
  requireFree(plan: DistributionPlan): void
  /** Carries a plan out. Rejects with TransferRefused, before anything is changed, if the database does not match it. */
  distribute(agreed: AgreedDistribution): Promise<DistributionResult>
  /** Returns a sentence for each difference between a plan that was agreed to and the present one. */
  describeChanges(agreed: DistributionPlan, current: DistributionPlan): string[]
  close(): Promise<void>
}

/** Default of Citus. */
const defaultShards = 32

/** Counts of rows take as long as they take. */
const statementTimeoutMs = 3_600_000

/** Opens the database of a target. Rejects with TransferRefused, InvalidDatabaseUrl or StoreError. */
export async function openDistribution({ dataDir, database }: DistributionTarget): Promise<DistributionAccess> {
  const { urls = [], secretKey: _, isolation: __, ...options } = database
  const stored = readDatabaseFile(dataDir)
  const given = urls.find((it) => it.use === 'given')
  if (!given && !stored)
    throw new TransferRefused(
      'usage',
      `The data folder ${dataDir} has its data in SQLite, which has no nodes.`,
      'Pass --database <url>, or set PARLEY_DATABASE. To copy the data to PostgreSQL: parley server migrate --to <url> --switch.',
    )
  const url = given
    ? parseDatabaseUrl(given.url, given.source)
    : parseDatabaseUrl(String(stored?.url), dataFiles.postgres)
  const opened = await openPostgres(withKnownPassword(url, urls).href, {
    ...options,
    ...(stored?.isPooled !== undefined && !given && { isPooled: stored.isPooled }),
    statementTimeoutMs,
    sessionName: 'parley-distribution',
  })
  try {
    await requireOwn(opened, given ? undefined : stored)
  } catch (error) {
    await opened.close()
    throw error
  }
  return {
    status: () => readStatus(opened),
    plan: (shards) => makePlan(opened, shards),
    distribute: (agreed) => carryOut(opened, agreed),
    requireFree: ({ users }) => requireFree(opened.location, users),
    describeChanges: describePlanChanges,
    close: () => opened.close(),
  }
}

/** Refuses a database without data of Parley, and one that has replaced that of the data folder. */
async function requireOwn({ read, location }: Database, stored: StoredDatabase | undefined): Promise<void> {
  const values = await readMetaValues(read, [schemaVersionKey, databaseIdKey]).catch((error: Error) => {
    if ('code' in error && error.code === '42P01') return undefined
    throw error
  })
  if (values?.[schemaVersionKey] === undefined)
    throw new TransferRefused(
      'usage',
      `${location} has no data of Parley.`,
      'Create its tables with a server: parley server start --database <url>.',
    )
  if (stored && values[databaseIdKey] !== stored.id)
    throw new TransferRefused(
      'usage',
      `${location} is not the database that the data folder has used. It was created again or replaced.`,
      'Restore its backup, or pass --database <url>.',
    )
}

const readSchema = async ({ read }: Database): Promise<number> =>
  Number((await readMetaValues(read, [schemaVersionKey]))[schemaVersionKey])

const stateOf = ({ stored, isDistributed }: Distribution): DistributionState =>
  stored?.is_complete === false ? 'unfinished' : isDistributed ? 'distributed' : 'local'

const shardsOf = ({ stored, tables }: Distribution): number | undefined =>
  tables.find((it) => it.kind === 'distributed')?.shards ?? stored?.shards

async function readStatus(database: Database): Promise<DatabaseStatus> {
  const { read, location } = database
  const found = await readDistribution(read)
  const budget = found.version === undefined ? undefined : await readConnectionBudget(read)
  const state = stateOf(found)
  return {
    database: location,
    state,
    citus: found.version ?? null,
    schema: await readSchema(database),
    shards: shardsOf(found) ?? null,
    steps_left: state === 'unfinished' ? (await findDistributionSteps(read, found.stored?.shards ?? 1)).length : 0,
    nodes: found.nodes.map((node) => {
      const limit = budget?.limits[node.node]
      return {
        ...node,
        max_connections: limit ?? null,
        sessions: limit !== undefined && budget ? Math.floor(limit / budget.perSession) : null,
      }
    }),
    connections_per_session: budget?.perSession ?? null,
    sessions: budget?.sessions ?? null,
    tables: found.tables,
  }
}

// What a distribution took on two cores with a coordinator and two workers: see docs/operations.md.
const secondsPerTable = 0.1
const secondsPerShard = 0.02
const bytesPerSecond = 20_000_000

async function makePlan(database: Database, given: number | undefined): Promise<DistributionPlan> {
  const { read, location } = database
  const schema = await readSchema(database)
  requireSchema(location, schema)
  if ((await readCitusVersion(read)) === undefined) throw withoutCitus(location)
  await requireNodes(database, await readNodes(read))
  const found = await readDistribution(read)
  const { version = '', nodes, stored } = found
  if (database.isPooled?.())
    throw new TransferRefused(
      'usage',
      `${location} is a pooler, and the steps need one session.`,
      'Pass the address of the coordinator itself with --database <url>.',
    )
  const state = stateOf(found)
  const isOpen = state !== 'local'
  const known = isOpen ? shardsOf(found) : undefined
  const shards = given ?? known ?? stored?.shards ?? defaultShards
  if (known !== undefined && shards !== known)
    throw new TransferRefused(
      'conflict',
      `The tables of ${location} have ${known} shards, and this command does not change their number.`,
      `Leave --shards out, or pass --shards ${known}.`,
    )
  const steps = state === 'distributed' ? [] : await findDistributionSteps(read, shards)
  const tables = found.tables.map((it) => planTable(it))
  const spread = tables.filter((it) => it.place === 'distributed')
  const bytes = spread.reduce((sum, it) => sum + it.bytes, 0)
  const seconds = spread.length * (secondsPerTable + secondsPerShard * shards) + bytes / bytesPerSecond
  return {
    database: location,
    state,
    citus: version,
    schema,
    shards,
    accounts: spread.find((it) => it.table === 'account')?.rows ?? 0,
    nodes,
    tables,
    dropped: steps.flatMap((it) => it.dropped ?? []),
    estimated_seconds: state === 'distributed' ? 0 : Math.ceil(seconds),
    estimate: `${spread.length} tables with ${shards} shards each at ${secondsPerShard * 1000} ms a shard, and ${bytes} bytes at ${bytesPerSecond / 1_000_000} MB/s, as measured on two cores`,
    users: await findUsers(read),
    warnings: warningsOf(nodes),
  }
}

const placesOfOthers: Readonly<Record<string, { readonly place: DistributionTable['kind']; readonly reason: string }>> =
  platformTables

function planTable({ table, kind, rows, bytes }: DistributionTable): PlannedTable {
  const own = placesOfOthers[table]
  const place = own?.place ?? (kind === 'local' ? 'distributed' : kind)
  return { table, place, rows: rows ?? 0, bytes, reason: own?.reason ?? null }
}

const withoutCitus = (location: string): TransferRefused =>
  new TransferRefused(
    'usage',
    `${location} does not have the extension Citus, which spreads tables over nodes.`,
    'Install Citus on the coordinator and on at least one worker, run "create extension citus" in the database on each of them, then on the coordinator "select citus_set_coordinator_host(<host>, <port>)" and "select citus_add_node(<host>, <port>)" for each worker.',
  )

function requireSchema(location: string, schema: number): void {
  if (schema === schemaVersion) return
  throw new TransferRefused(
    'conflict',
    `${location} has schema ${schema}, but this version of Parley uses ${schemaVersion}.`,
    schema < schemaVersion ? 'Upgrade it first: start a server of this version, and stop it again.' : 'Upgrade Parley.',
  )
}

/** Refuses nodes that would let a step fail when keys are dropped already. */
async function requireNodes({ read, location }: Database, nodes: readonly DistributionNode[]): Promise<void> {
  const refuse = (message: string, hint: string): TransferRefused => new TransferRefused('conflict', message, hint)
  if (!nodes.some((it) => it.role === 'coordinator'))
    throw refuse(
      `The coordinator of ${location} is not in its list of nodes, which names of accounts need.`,
      'Run on the coordinator: select citus_set_coordinator_host(<host>, <port>), with an address that the workers reach.',
    )
  const inactive = nodes.filter((it) => !it.is_active).map((it) => it.node)
  if (inactive.length > 0)
    throw refuse(
      `Nodes of ${location} are not active: ${inactive.join(', ')}.`,
      'Run on the coordinator: select citus_activate_node(<host>, <port>).',
    )
  if (!nodes.some((it) => it.has_shards))
    throw refuse(
      `No node of ${location} takes shards.`,
      `Add a worker on the coordinator: select citus_add_node(<host>, <port>). To try it out with the coordinator alone: select citus_set_node_property(<host>, <port>, 'shouldhaveshards', true).`,
    )
  const unreachable = await findUnreachableNodes(read)
  if (unreachable.length > 0)
    throw refuse(
      `Nodes of ${location} do not answer: ${unreachable.join(', ')}.`,
      'Start them, and check pg_hba.conf and the addresses in pg_dist_node.',
    )
}

const warningsOf = (nodes: readonly DistributionNode[]): string[] =>
  nodes.some((it) => it.role === 'worker' && it.has_shards)
    ? []
    : [
        'All shards lie on the coordinator, because there is no worker. To spread them later: citus_add_node, then citus_rebalance_start.',
      ]

/** Returns the servers that use a database now, else the sessions of commands and of servers that were cut off. */
async function findUsers(query: Query): Promise<readonly string[]> {
  const { servers, sessions } = await listDatabaseUsers(query)
  const alive = servers.filter((it) => it.age * 1000 <= nodeTimeoutMs)
  return alive.length > 0
    ? alive.map((it) => `${it.name}, version ${it.version}, last heard ${it.age} s ago`)
    : sessions.map((it) => `${it.name}, last used ${it.age} s ago`)
}

/** Throws TransferRefused while others use a database. */
function requireFree(location: string, users: readonly string[]): void {
  if (users.length === 0) return
  throw new TransferRefused(
    'conflict',
    `Servers or commands use ${location}: ${users.join('; ')}. Nothing was changed.`,
    'Stop the servers: parley server stop, or parley server drain <node>. A session that a pooler keeps: select pg_terminate_backend(<pid>).',
  )
}

/** Returns a sentence for each difference between what was agreed to and what is found. */
function describePlanChanges(agreed: DistributionPlan, current: DistributionPlan): string[] {
  const changes: string[] = []
  const compare = (what: string, before: string | number, after: string | number): void => {
    if (before !== after) changes.push(`${what}: ${before} -> ${after}`)
  }
  compare('schema', agreed.schema, current.schema)
  compare('state', agreed.state, current.state)
  compare('shards', agreed.shards, current.shards)
  compare('nodes', nodesText(agreed), nodesText(current))
  for (const { table, rows, place } of current.tables)
    if (place === 'distributed')
      compare(`rows of ${table}`, agreed.tables.find((it) => it.table === table)?.rows ?? 'none', rows)
  return changes
}

const nodesText = ({ nodes }: DistributionPlan): string => nodes.map((it) => it.node).join(', ')

async function carryOut(database: Database, { plan, onStep }: AgreedDistribution): Promise<DistributionResult> {
  const startedAt = realTime.monotonicMs()
  let number = 0
  const { steps, refusedSettings } = await distribute(database, {
    shards: plan.shards,
    onStep: (text) => onStep(text, ++number),
    async requireUnused(query) {
      requireFree(database.location, await findUsers(query))
    },
    requireAgreed(rows) {
      const tables = plan.tables.map((it) => ({ ...it, rows: rows[it.table] ?? it.rows }))
      const changes = describePlanChanges(plan, { ...plan, tables })
      if (changes.length > 0)
        throw new TransferRefused(
          'conflict',
          `${database.location} was changed since the plan was made: ${changes.join(', ')}. Nothing was distributed.`,
          'Run the command again to decide about the current values.',
        )
    },
  })
  const seconds = Math.round(realTime.monotonicMs() - startedAt) / 1000
  const done = await makePlan(database, plan.shards)
  return {
    ...done,
    dropped: plan.dropped,
    estimated_seconds: plan.estimated_seconds,
    warnings: [
      ...done.warnings,
      ...refusedSettings.map(
        (it) => `Servers need a setting that the user of the database may not store. Run as its owner: ${it}`,
      ),
    ],
    steps: steps.map(({ text, ms }) => ({ step: text, ms })),
    seconds,
  }
}
