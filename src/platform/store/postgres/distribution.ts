// Spreads the tables of accounts over the nodes of Citus, which shards PostgreSQL: all rows of an account lie on one shard. What
// is left to do is read from the catalog, so that a process that was killed is continued by the next one.

import { sql } from 'kysely'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { countedLists, shardedTriggers } from '../counters/counted-lists.ts'
import { addMissingNames } from '../database/account-names.ts'
import { accountTables, referenceTables } from '../database/account-tables.ts'
import type { Database, PlatformQuery } from '../database/connection.ts'
import { readMeta } from '../database/meta.ts'
import { StoreError } from '../database/store-error.ts'
import { readSharded } from './connect.ts'

/** How the tables of a database are spread over nodes. */
export interface Distribution {
  /** Version of the extension; undefined if the database does not have it. */
  readonly version: string | undefined
  /** Whether the tables of accounts are spread over nodes. */
  readonly isDistributed: boolean
  readonly nodes: readonly { readonly node: string; readonly role: string; readonly isActive: boolean }[]
  readonly tables: readonly {
    readonly table: string
    readonly kind: 'distributed' | 'reference' | 'local'
    readonly shards: number
    /** Estimated by the database. */
    readonly rows: number
    readonly bytes: number
  }[]
}

/** Key in `meta` of what a distribution must still know when the old keys are gone. */
const distributionKey = 'distribution'

/** Advisory lock of a distribution, "prly" and a number: one process distributes at a time. */
const distributionLockKey = 0x70_72_6c_79_02

interface SavedKeys {
  readonly foreign_keys: readonly { readonly table: string; readonly name: string; readonly definition: string }[]
  readonly rows: Readonly<Record<string, number>>
}

/** Statement of a distribution, and what it does in the words of a user. */
interface DistributionStep {
  readonly text: string
  readonly sql: string
}

const hasExtension = async (query: PlatformQuery): Promise<string | undefined> =>
  (
    await sql<{ version: string }>`select extversion as version from pg_extension where extname = 'citus'`.execute(
      query,
    )
  ).rows[0]?.version

/** Returns whether the tables of accounts are spread over the nodes of Citus. */
async function isDistributed(query: PlatformQuery): Promise<boolean> {
  if ((await hasExtension(query)) === undefined) return false
  return (await sql.raw<{ sharded: boolean }>(readSharded).execute(query)).rows[0]?.sharded === true
}

/** Returns how the tables of a database are spread over nodes. */
export async function readDistribution(query: PlatformQuery): Promise<Distribution> {
  const version = await hasExtension(query)
  const placed =
    version === undefined
      ? sql`select null::oid as oid, null::text as method, 0 as shards where false`
      : sql`select p.logicalrelid::oid as oid, p.partmethod::text as method,
          (select count(*)::int from pg_dist_shard s where s.logicalrelid = p.logicalrelid) as shards from pg_dist_partition p`
  const size =
    version === undefined
      ? sql`pg_total_relation_size(c.oid)`
      : sql`coalesce(case when p.method is null
      then pg_total_relation_size(c.oid) else citus_total_relation_size(c.oid, fail_on_error => false) end, 0)`
  const { rows } = await sql<Distribution['tables'][number]>`
    select c.relname as table, case when p.method is null then 'local' when p.method = 'h' then 'distributed' else 'reference' end as kind,
      coalesce(p.shards, 0) as shards, greatest(c.reltuples, 0)::bigint as rows, ${size}::bigint as bytes
    from pg_class c left join (${placed}) p on p.oid = c.oid
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1`.execute(query)
  const nodes =
    version === undefined
      ? []
      : (
          await sql<{ node: string; role: string; isActive: boolean }>`
            select nodename || ':' || nodeport as node, case groupid when 0 then 'coordinator' else 'worker' end as role,
              isactive as "isActive" from pg_dist_node order by groupid, nodeid`.execute(query)
        ).rows
  return { version, isDistributed: await isDistributed(query), nodes, tables: rows }
}

/**
 * Spreads the tables of accounts over the nodes of Citus, with `shards` shards each. No server may use the database. It
 * can be repeated after an interruption. Returns the number of rows of each table, which are the same as before. Rejects
 * with StoreError if another process distributes, and if a table has other rows than before.
 */
export async function distribute(
  database: Database,
  { shards, onStep }: { readonly shards: number; readonly onStep: (text: string, left: number) => void },
): Promise<Readonly<Record<string, number>>> {
  const find = (): Promise<readonly DistributionStep[]> =>
    database.runExclusively((query) => findDistributionSteps(query, shards))
  await database.withSession?.(async (run) => {
    await run(`do $$ begin if not pg_try_advisory_lock(${distributionLockKey}) then
      raise exception 'another process distributes the tables'; end if; end $$`)
    // The triggers that count rows write to a table of the same shard, which Citus does not know.
    await run('set citus.enable_unsafe_triggers = on')
    for (let steps = await find(); steps.length > 0; steps = await find())
      for (const [n, step] of steps.entries()) {
        onStep(step.text, steps.length - n)
        await run(step.sql)
      }
  })
  return database.runExclusively(async (query) => {
    const rows = await countRows(query)
    for (const [table, count] of Object.entries((await readSavedKeys(query)).rows))
      if (rows[table] !== count)
        throw new StoreError(
          'other',
          `The table ${table} had ${count} rows before it was distributed and has ${rows[table] ?? 0} now. Restore the backup.`,
        )
    return rows
  })
}

async function countRows(query: PlatformQuery): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const table of accountTables) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(query)
    counts[table] = Number(rows[0]?.n)
  }
  return counts
}

async function readSavedKeys(query: PlatformQuery): Promise<SavedKeys> {
  return parseJson((await readMeta(query, distributionKey)) ?? '{"foreign_keys":[],"rows":{}}') as SavedKeys
}

/**
 * Returns the statements that are missing, in order. The caller runs them and asks again, until there are none. The first time,
 * it stores the names that rows lack: later nothing looks for them on all shards.
 */
async function findDistributionSteps(query: PlatformQuery, shards: number): Promise<DistributionStep[]> {
  if ((await readMeta(query, distributionKey)) === undefined) {
    await addMissingNames(query)
    return [await saveKeys(query)]
  }
  const { foreign_keys: foreignKeys } = await readSavedKeys(query)
  const rows = await missingSteps(query, shards)
  const counters = await missingCounters(query)
  const isSpread = rows.length === 0
  const existing = await sql<{ name: string }>`select conname as name from pg_constraint where contype = 'f'`.execute(
    query,
  )
  const names = new Set(existing.rows.map((it) => it.name))
  const missingKeys = foreignKeys.filter((it) => !names.has(it.name))
  return isSpread
    ? [
        ...missingKeys.map(({ table, name, definition }) => ({
          text: `foreign key of ${table}`,
          sql: `alter table ${table} add constraint ${name} ${definition}`,
        })),
        ...counters,
      ]
    : rows
}

/** Returns the statement that stores the foreign keys and numbers of rows, before the keys are dropped. */
async function saveKeys(query: PlatformQuery): Promise<DistributionStep> {
  const rows = stringifyJson(await countRows(query))
  return {
    text: 'keys and numbers of rows',
    sql: `insert into meta (key, value)
      select '${distributionKey}', json_build_object('rows', '${rows}'::json, 'foreign_keys', coalesce(json_agg(json_build_object(
        'table', k.conrelid::regclass::text, 'name', quote_ident(k.conname), 'definition', pg_get_constraintdef(k.oid))), '[]'))::text
      from pg_constraint k join pg_class child on child.oid = k.conrelid join pg_class parent on parent.oid = k.confrelid
      where k.contype = 'f' and child.relname = any('{${accountTables.join(',')}}') and parent.relname = any('{${accountTables.join(',')}}')`,
  }
}

async function missingSteps(query: PlatformQuery, shards: number): Promise<DistributionStep[]> {
  const { rows } = await sql<DistributionStep>`
    with account_table as (
      select c.oid, c.relname as name, a.attname as account, a.attnum as number,
        exists (select from pg_dist_partition p where p.logicalrelid = c.oid) as is_distributed
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
        and c.relname::text = any(${accountTables}::text[])
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
      from pg_class c where c.relname::text = any(${referenceTables}::text[]) and c.relnamespace = current_schema()::regnamespace
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
    select text, sql from step order by position, name`.execute(query)
  return rows
}

/** Returns the statements for the triggers that count rows on shards. */
async function missingCounters(query: PlatformQuery): Promise<DistributionStep[]> {
  const { rows } = await sql<{
    name: string
  }>`select tgrelid::regclass::text as name from pg_trigger where not tgisinternal`.execute(query)
  const done = new Set(rows.map((it) => it.name))
  return countedLists
    .filter(({ table }) => !done.has(table))
    .flatMap((list) => shardedTriggers(list).map((it) => ({ text: `counters of ${list.table}`, sql: it })))
}
