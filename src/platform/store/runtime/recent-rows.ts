import { sql } from 'kysely'
import type { PlatformQuery } from '../database/connection.ts'

/**
 * Row that changed lately, with a stamp that is another one after each change. The page of the inspector gets `kind` and
 * `status`, and loads the lists of that kind again.
 */
export interface RecentRow {
  readonly kind: string
  readonly id: string
  readonly account: number | null
  readonly status: string | null
  readonly stamp: string
}

/** Number of the newest rows of each table that are compared. */
export const recentRows = 50

/**
 * Returns the newest rows of each table that the inspector shows, and unfinished runs, in one statement that follows
 * primary keys only.
 */
export async function listRecentRows(query: PlatformQuery): Promise<RecentRow[]> {
  const newest = sql.raw(String(recentRows))
  const { rows } = await sql<RecentRow>`
    select * from (select 'event' as kind, cast(id as text) as id, account_id as account, kind as status, '' as stamp from outbox order by outbox.id desc limit ${newest}) e
    union all select * from (select 'delivery', cast(id as text), account_id, status, cast(attempts as text) from delivery order by delivery.id desc limit ${newest}) d
    union all select * from (select 'run', id, account_id, status, cast(active as text) from automation_run order by automation_run.number desc limit ${newest}) r
    union all select * from (select 'run', r.id, r.account_id, r.status, cast(r.active as text) from due d join automation_run r on r.account_id = d.account_id and r.id = d.subject where d.kind = 'automation.run' limit 200) u
    union all select * from (select 'message', cast(id as text), account_id, role, '' from message order by message.id desc limit ${newest}) m
    union all select * from (select 'call', cast(id as text), account_id, status, cast(updated_at as text) from phone_call order by phone_call.id desc limit ${newest}) c
    union all select * from (select distinct 'conversation', c.uuid, c.account_id, c.status, cast(c.updated_at as text) from (select account_id, conversation_id from message order by message.id desc limit ${newest}) n join conversation c on c.account_id = n.account_id and c.id = n.conversation_id) v
    union all select * from (select 'conversation', uuid, account_id, status, cast(updated_at as text) from conversation order by conversation.id desc limit ${newest}) w
    union all select * from (select 'ledger', cast(id as text), account_id, kind, cast(amount as text) from ledger order by ledger.id desc limit ${newest}) l
    union all select * from (select 'campaign', cast(id as text), account_id, status, cast(updated_at as text) from campaign order by campaign.id desc limit ${newest}) p
    union all select * from (select 'number', cast(id as text), account_id, type, coalesce(nickname, '') from phone_number order by phone_number.id desc limit ${newest}) n
    union all select * from (select 'fault', cast(id as text), account_id, endpoint, cast(fired as text) from fault order by fault.id desc limit ${newest}) f
    union all select * from (select 'automation', id, account_id, status, cast(updated_at as text) from automation order by automation.updated_at desc limit ${newest}) a
    union all select 'clock', '1', null, case when frozen_at is null then 'running' else 'frozen' end, cast(coalesce(frozen_at, 0) + "offset" as text) from clock`.execute(
    query,
  )
  return rows
}

/** Returns runs by id. */
export const findRuns = (
  query: PlatformQuery,
  ids: readonly string[],
): Promise<{ id: string; account_id: number; status: string }[]> =>
  query
    .selectFrom('automation_run')
    .select(['id', 'account_id', 'status'])
    .where('id', 'in', [...ids])
    .execute()
