// Spreads the tables of accounts over the nodes of Citus, which shards PostgreSQL: all rows of an account lie on one shard. What
// is left to do is read from the catalog, so that a process that was killed is continued by the next one.

import { sql } from 'kysely'
import { messageOf } from '../../../node/is-error.ts'
import { stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import { countedLists, shardedTriggers } from '../counters/counted-lists.ts'
import { addMissingNames } from '../database/account-names.ts'
import { accountTables } from '../database/account-tables.ts'
import type { Database, PlacedTables, PlatformQuery, RunStatements } from '../database/connection.ts'
import { readMeta, writeMeta } from '../database/meta.ts'
import { oldestSchemaKey, schemaVersionKey } from '../database/migrate.ts'
import { referenceTables } from '../database/platform-tables.ts'
import { StoreError } from '../database/store-error.ts'
import { distributionKey, parseDistribution, type StoredDistribution } from '../database/unfinished-distribution.ts'
import { countRows, isDistributed, poolSetting, readDistribution } from './read-distribution.ts'

/** Advisory lock of a distribution, "prly" and a number: one process distributes at a time. */
const distributionLockKey = 0x70_72_6c_79_02

/** Time for which a distribution waits for the end of one that was killed. */
const lockTimeoutMs = 10_000

/**
 * Settings that sessions of servers need, unless the database has its own: connections to one node that a session opens for one
 * statement over several shards, and milliseconds for which it waits for a node that does not answer.
 */
const sessionSettings: Readonly<Record<string, number>> = {
  [poolSetting]: 4,
  'citus.node_connection_timeout': 5000,
}

/** Statement of a distribution, and what it does in the words of a user. */
export interface DistributionStep {
  readonly text: string
  readonly sql: string
  /** Name of the key that it removes for good. */
  readonly dropped?: string | null
}

/** How tables are spread over nodes. */
export interface DistributeOptions {
  readonly shards: number
  /** Runs when no process can begin to use the database any more. Nothing is changed if it rejects. */
  readonly requireUnused?: (query: PlatformQuery) => Promise<void>
  /** Receives the rows before anything is changed. Nothing is changed if it throws. */
  readonly requireAgreed?: (rows: Readonly<Record<string, number>>) => void
  /** Receives what is done next, and the number of steps that are left. What it throws ends the distribution between two steps. */
  readonly onStep: (text: string, left: number) => void
}

/** What a distribution has done. */
export interface Distributed {
  /** Number of rows of each table of accounts, the same as before. */
  readonly rows: Readonly<Record<string, number>>
  /** The steps of this run. No server can start from the first one to the last one. */
  readonly steps: readonly { readonly text: string; readonly ms: number }[]
  /** The statements for settings of sessions that the user of the database may not run. */
  readonly refusedSettings: readonly string[]
}

/**
 * Spreads the tables of accounts over the nodes of Citus, with `shards` shards each. It can be repeated after an
 * interruption, and no server can use the database until it is complete. Rejects with StoreError if another process
 * distributes, if the database refuses a step, and if a table has other rows than before.
 */
export async function distribute(database: Database, options: DistributeOptions): Promise<Distributed> {
  const { withSession } = database
  if (!withSession) throw new StoreError('other', `${database.location} is a file, which has no nodes.`)
  return withSession(async (run) => {
    await takeLock(database, run)
    await begin(database, options)
    // The triggers that count rows write to a table of the same shard, which Citus does not know.
    await run('set citus.enable_unsafe_triggers = on')
    const steps = await runSteps(database, options, run)
    const refusedSettings = await storeSettings(database, run)
    return { steps, refusedSettings, rows: await database.runExclusively((query) => complete(query)) }
  })
}

/** A process that was killed has the lock until the server has noticed its end. */
async function takeLock({ location }: Database, run: RunStatements): Promise<void> {
  try {
    await run(`set lock_timeout = ${lockTimeoutMs}`)
    await run(`select pg_advisory_lock(${distributionLockKey})`)
    await run('set lock_timeout = 0')
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'busy') throw error
    throw new StoreError('busy', `Another process spreads the tables of ${location} over nodes.`, error)
  }
}

const readStored = async (query: PlatformQuery): Promise<StoredDistribution | undefined> =>
  parseDistribution(await readMeta(query, distributionKey))

const store = (query: PlatformQuery, value: StoredDistribution): Promise<void> =>
  writeMeta(query, distributionKey, stringifyJson(value))

/** Keeps servers out, and stores what must still be known when the old keys are gone. */
async function begin(database: Database, options: DistributeOptions): Promise<void> {
  const { shards, requireUnused, requireAgreed } = options
  const before = await database.runExclusively(async (query) => {
    const stored = await readStored(query)
    if (stored && !stored.is_complete && stored.shards !== shards)
      throw new StoreError(
        'other',
        `The distribution of ${database.location} was started with ${stored.shards} shards. Continue it with the same number.`,
      )
    return stored ?? (await keepServersOut(query, shards))
  })
  if (before.is_complete) return
  await database
    .runExclusively(async (query) => {
      await requireUnused?.(query)
      if (before.saved) return
      await addMissingNames(query)
      const rows = await countRows(query, accountTables)
      requireAgreed?.(rows)
      await store(query, { ...before, saved: { rows, foreign_keys: await readForeignKeys(query) } })
    })
    .catch(async (error: unknown) => {
      if (!before.saved) await database.runExclusively((query) => letServersIn(query, before))
      throw error
    })
}

/** From here on, no server starts: those of this version see the row, and those of an earlier one the oldest schema. */
async function keepServersOut(query: PlatformQuery, shards: number): Promise<StoredDistribution> {
  const stored = { shards, is_complete: false, oldest_before: await readMeta(query, oldestSchemaKey) }
  await store(query, stored)
  await writeMeta(query, oldestSchemaKey, String(await readMeta(query, schemaVersionKey)))
  // A server that was cut off and comes back stops, because it does not know of the shards.
  await query.updateTable('server_node').set({ drain_requested: 1 }).execute()
  return stored
}

async function letServersIn(query: PlatformQuery, { oldest_before: oldest }: StoredDistribution): Promise<void> {
  await query.deleteFrom('meta').where('key', '=', distributionKey).execute()
  if (oldest !== undefined) await writeMeta(query, oldestSchemaKey, oldest)
  await query.updateTable('server_node').set({ drain_requested: 0 }).execute()
}

/** Runs the statements that are missing, and returns what they did and how long each took. */
async function runSteps(
  database: Database,
  { shards, onStep }: DistributeOptions,
  run: RunStatements,
): Promise<Distributed['steps']> {
  const done: { text: string; ms: number }[] = []
  const find = (): Promise<readonly DistributionStep[]> =>
    database.runExclusively((query) => findDistributionSteps(query, shards))
  for (let steps = await find(); steps.length > 0; steps = await find())
    for (const [n, step] of steps.entries()) {
      onStep(step.text, steps.length - n)
      const startedAt = realTime.monotonicMs()
      await run(step.sql).catch((error: unknown) => {
        throw error instanceof StoreError ? error : refusedError(database.location, step, error)
      })
      done.push({ text: step.text, ms: Math.round(realTime.monotonicMs() - startedAt) })
    }
  return done
}

const refusedError = (where: string, { text, sql: statement }: DistributionStep, error: unknown): StoreError =>
  new StoreError(
    'other',
    `The database ${where} refused the step "${text}": ${messageOf(error)}. The statement was: ${statement}. Correct the cause, then run the command again: it continues here, and no server can use the database before.`,
    error,
  )

/**
 * Stores settings with the database, which hold behind a pooler, too, unless it has its own. Returns the statements that the
 * user may not run.
 */
async function storeSettings(database: Database, run: RunStatements): Promise<readonly string[]> {
  const refused: string[] = []
  for (const statement of await database.runExclusively((query) => findSettings(query)))
    await run(statement).catch((error: { readonly code?: unknown }) => {
      if (error.code !== '42501') throw error
      refused.push(statement)
    })
  return refused
}

async function findSettings(query: PlatformQuery): Promise<string[]> {
  const { rows } = await sql<{ database: string; found: readonly string[] | null }>`
    select quote_ident(current_database()) as database, (select array_agg(split_part(c, '=', 1))
      from pg_db_role_setting s, unnest(s.setconfig) c
      where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))) as found`.execute(
    query,
  )
  const [row] = rows
  return Object.entries(sessionSettings)
    .filter(([name]) => !row?.found?.includes(name))
    .map(([name, value]) => `alter database ${row?.database} set ${name} = ${value}`)
}

/** Compares the rows with those of before, and lets servers in. Returns the rows. */
async function complete(query: PlatformQuery): Promise<Readonly<Record<string, number>>> {
  const rows = await countRows(query, accountTables)
  const stored = await readStored(query)
  if (!stored || stored.is_complete) return rows
  for (const [table, count] of Object.entries(stored.saved?.rows ?? {}))
    if (rows[table] !== count)
      throw new StoreError(
        'other',
        `The table ${table} had ${count} rows before it was distributed and has ${rows[table] ?? 0} now. Restore the backup.`,
      )
  const { tables } = await readDistribution(query)
  for (const [kind, names] of [['distributed', accountTables] as const, ['reference', referenceTables] as const])
    for (const name of names) {
      const found = tables.find((it) => it.table === name)
      if (found?.kind !== kind)
        throw new StoreError('other', `The table ${name} is ${found?.kind ?? 'missing'} and should be ${kind}.`)
    }
  await store(query, { ...stored, is_complete: true })
  return rows
}

/**
 * Returns the statements that are missing, in order. The caller runs them and asks again, until there are none.
 */
export async function findDistributionSteps(
  query: PlatformQuery,
  shards: number,
): Promise<readonly DistributionStep[]> {
  const stored = await readStored(query)
  const rows = await missingSteps(query, { accounts: accountTables, references: referenceTables }, shards)
  if (rows.length > 0) return rows
  return [...(await missingForeignKeys(query, stored?.saved?.foreign_keys ?? [])), ...(await missingCounters(query))]
}

type ForeignKeys = NonNullable<StoredDistribution['saved']>['foreign_keys']

/** Returns the foreign keys between tables of accounts. */
async function readForeignKeys(query: PlatformQuery, tables: readonly string[] = accountTables): Promise<ForeignKeys> {
  const { rows } = await sql<ForeignKeys[number]>`
    select k.conrelid::regclass::text as table, quote_ident(k.conname) as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class child on child.oid = k.conrelid join pg_class parent on parent.oid = k.confrelid
    where k.contype = 'f' and child.relnamespace = current_schema()::regnamespace
      and child.relname::text = any(${tables}::text[]) and parent.relname::text = any(${tables}::text[])`.execute(query)
  return rows
}

async function missingForeignKeys(query: PlatformQuery, keys: ForeignKeys): Promise<readonly DistributionStep[]> {
  const { rows } = await sql<{
    name: string
  }>`select quote_ident(conname) as name from pg_constraint where contype = 'f'`.execute(query)
  const names = new Set(rows.map((it) => it.name))
  return keys
    .filter((it) => !names.has(it.name))
    .map(({ table, name, definition }) => ({
      text: `foreign key of ${table}`,
      sql: `alter table ${table} add constraint ${name} ${definition}`,
    }))
}

/**
 * Spreads tables of accounts that a change of the schema has just created, in its transaction. Does nothing if the database
 * is not distributed.
 */
export async function placeTables(
  query: PlatformQuery,
  tables: PlacedTables = { accounts: accountTables, references: referenceTables },
): Promise<void> {
  if (!(await isDistributed(query))) return
  const run = async (steps: readonly DistributionStep[]): Promise<void> => {
    for (const step of steps) await sql.raw(step.sql).execute(query)
  }
  const keys = await readForeignKeys(query, tables.accounts)
  await sql.raw('set local citus.enable_unsafe_triggers = on').execute(query)
  for (let steps = await missingSteps(query, tables); steps.length > 0; steps = await missingSteps(query, tables))
    await run(steps)
  await run(await missingForeignKeys(query, keys))
  await run(await missingCounters(query))
}

/** Returns the statements that drop what shards cannot have, and spread the rows. `shards` is that of the first table. */
async function missingSteps(
  query: PlatformQuery,
  { accounts, references }: PlacedTables,
  shards = 1,
): Promise<readonly DistributionStep[]> {
  const { rows } = await sql<DistributionStep>`
    with account_table as (
      select c.oid, c.relname as name, a.attname as account, a.attnum as number,
        exists (select from pg_dist_partition p where p.logicalrelid = c.oid) as is_distributed
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
        and c.relname::text = any(${accounts}::text[])
        and a.attname = case c.relname when 'account' then 'id' else 'account_id' end
    ), local_table as (select * from account_table where not is_distributed),
    old_index as (
      select t.name as table_name, c.relname as name, k.contype, k.conname
      from local_table t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid
        join pg_class own on own.relname = c.relname || '_account' and own.relnamespace = c.relnamespace
        left join pg_constraint k on k.conindid = c.oid and k.contype in ('p', 'u')
      where i.indisunique and not t.number = any(i.indkey::int2[])
    ), step as (
      select 1 as position, k.conname::text as name, 'foreign key of ' || child.relname as text,
        format('alter table %I drop constraint %I', child.relname, k.conname) as sql
      from pg_constraint k join pg_class child on child.oid = k.conrelid
      where k.contype = 'f' and (k.conrelid in (select oid from local_table) or k.confrelid in (select oid from local_table))
      union all
      select 2, g.tgname, 'counters of ' || t.name, format('drop trigger %I on %I', g.tgname, t.name)
      from pg_trigger g join local_table t on t.oid = g.tgrelid where not g.tgisinternal
      union all
      select 3, o.name, 'primary key of ' || o.table_name,
        format('alter table %I drop constraint %I, add constraint %I primary key using index %I', o.table_name, o.conname, o.conname, o.name || '_account')
      from old_index o where o.contype = 'p'
      union all
      select 4, o.name, 'unique key of ' || o.table_name,
        case when o.conname is null then format('drop index %I', o.name) else format('alter table %I drop constraint %I', o.table_name, o.conname) end
      from old_index o where o.contype is distinct from 'p'
      union all
      select 5, c.relname, 'rows of ' || c.relname, format('select create_reference_table(%L)', c.relname)
      from pg_class c where c.relname::text = any(${references}::text[]) and c.relnamespace = current_schema()::regnamespace
        and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)
      union all
      select case t.name when 'account' then 5 else 6 end, t.name, 'rows of ' || t.name,
        case t.name when 'account' then format('select create_distributed_table(%L, %L, colocate_with => %L, shard_count => %s)', t.name, t.account, 'none', ${sql.lit(shards)}::int)
          else format('select create_distributed_table(%L, %L, colocate_with => %L)', t.name, t.account, 'account') end
      from local_table t
      union all
      -- The rows are on the shards, and invisible here.
      select 7, t.name, 'space of ' || t.name, format('select truncate_local_data_after_distributing_table(%L)', t.name)
      from account_table t where t.is_distributed and pg_relation_size(t.oid) > 0
    )
    select text, sql, case when position in (3, 4) then name end as dropped from step order by position, name`.execute(
    query,
  )
  return rows
}

/** Returns the statements for the triggers that count rows on shards. */
async function missingCounters(query: PlatformQuery): Promise<readonly DistributionStep[]> {
  const { rows } = await sql<{ name: string }>`select tgname as name from pg_trigger where not tgisinternal`.execute(
    query,
  )
  const names = new Set(rows.map((it) => it.name))
  return countedLists.flatMap((list) => {
    const { functions, triggers } = shardedTriggers(list)
    const missing = triggers.filter(({ name }) => !names.has(name)).map((it) => it.sql)
    // A process may have been killed between two of them.
    return missing.length === 0
      ? []
      : [...functions, ...missing].map((it) => ({ text: `counters of ${list.table}`, sql: it }))
  })
}
