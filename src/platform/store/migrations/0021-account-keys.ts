// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import { sql } from 'kysely'
import { idLimit } from '../counters/counted-list.ts'
import { accountTables } from '../database/account-tables.ts'
import type { Migration, OnlineStatement, PlatformQuery } from '../database/connection.ts'

/**
 * Keys that begin with the account, so that the rows of an account can lie on one shard of a sharded PostgreSQL. Primary
 * keys and other unique indexes stay; foreign keys between tables of accounts contain the account. SQLite gets
 * the unique indexes that statements shared by both databases name as the target of a conflict.
 */
export const accountKeys: Migration = {
  version: 21,
  name: 'account-keys',
  online: findMissingKeys,
  up: [
    { sqlite: 'create unique index event_slot_account on event_slot (account_id, assistant_id, event)' },
    { sqlite: 'create unique index automation_step_account on automation_step (account_id, run, path)' },
    { sqlite: 'create unique index automation_wait_account on automation_wait (account_id, run, path)' },
  ],
}

/**
 * Returns what is missing, from the catalog. A new index or foreign key has the name of the one without the account and
 * the suffix `_account`.
 */
async function findMissingKeys(query: PlatformQuery): Promise<readonly OnlineStatement[]> {
  const { rows } = await sql<{ sql: string; is_blocking: boolean }>`
    with account_table as (
      select c.oid, c.relname as name, a.attname as account, a.attnum as number
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
        and c.relname::text = any(${accountTables}::text[])
        and a.attname = case c.relname when 'account' then 'id' else 'account_id' end
    ), table_index as (
      select t.name as table_name, t.account, c.oid, c.relname as name, i.indrelid, i.indisunique, i.indisvalid, i.indkey,
        t.number = any(i.indkey::int2[]) as has_account, i.indpred is null and i.indexprs is null as is_plain
      from account_table t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid
    ), missing_index as (
      select u.*, own.oid as invalid
      from table_index u left join table_index own on own.indrelid = u.indrelid and own.name = u.name || '_account'
      where u.indisunique and not u.has_account and (own.oid is null or not own.indisvalid)
    ), foreign_key as (
      select child.name as table_name, k.conname as name, pg_get_constraintdef(k.oid) as definition,
        own.oid as own, coalesce(own.convalidated, false) as is_validated
      from pg_constraint k
        join account_table child on child.oid = k.conrelid
        join account_table parent on parent.oid = k.confrelid
        left join pg_constraint own on own.conrelid = k.conrelid and own.conname = k.conname || '_account'
      where k.contype = 'f' and not child.number = any(k.conkey)
    ), id_limit as (
      select t.name as table_name, a.attname as column_name, t.name || '_' || a.attname || '_limit' as name,
        own.oid as own, coalesce(own.convalidated, false) as is_validated
      from account_table t
        join pg_attribute a on a.attrelid = t.oid and a.attidentity <> ''
        left join pg_constraint own on own.conrelid = t.oid and own.conname = t.name || '_' || a.attname || '_limit'
    ), statement as (
      -- A build that was interrupted leaves an invalid index.
      select 1 as position, name, false as is_blocking, format('drop index concurrently if exists %I', name || '_account') as sql
      from missing_index where invalid is not null
      union all
      select 2, name, false, replace(replace(pg_get_indexdef(oid),
        format('CREATE UNIQUE INDEX %I ON', name), format('create unique index concurrently if not exists %I on', name || '_account')),
        'USING btree (', format('using btree (%I, ', account))
      from missing_index
      union all
      select 3, name, true, format('alter table %I add constraint %I %s not valid', table_name, name || '_account',
        regexp_replace(definition, '^FOREIGN KEY \\((.*)\\) REFERENCES ([^(]*)\\(', 'foreign key (account_id, \\1) references \\2(account_id, '))
      from foreign_key where own is null
      union all
      select 4, name, false, format('alter table %I validate constraint %I', table_name, name || '_account')
      from foreign_key where not is_validated
      union all
      select 5, name, true, format('alter table %I drop constraint %I', table_name, name)
      from foreign_key
      union all
      select 6, name, true, format('alter table %I add constraint %I check (%I < %s) not valid', table_name, name, column_name, ${idLimit}::bigint)
      from id_limit where own is null
      union all
      select 7, name, false, format('alter table %I validate constraint %I', table_name, name)
      from id_limit where not is_validated
      union all
      -- The index of a new key serves the same queries. It is found once that is built.
      select 8, old.name, false, format('drop index concurrently if exists %I', old.name)
      from table_index old
      where not old.indisunique and old.is_plain and exists (
        select from table_index u where u.indrelid = old.indrelid and u.indisunique and u.indisvalid and u.is_plain
          and u.name like '%\\_account' and u.indkey::text || ' ' like old.indkey::text || ' %')
    )
    select sql, is_blocking from statement order by position, name`.execute(query)
  return rows.map((it) => ({ sql: it.sql, isBlocking: it.is_blocking }))
}
