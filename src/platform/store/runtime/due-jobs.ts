// Which jobs are due, and which of them a process leases. Listed jobs are leased by
// `leaseJobs`, on SQLite by `leaseUnchangedJobs`; on PostgreSQL `claimJobs` finds and leases in one statement. Every list is in
// the order of due time, then id.

import { type SqlBool, sql } from 'kysely'
import { parseJson } from '../../../node/json.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, PlatformQuery, Query } from '../database/connection.ts'
import { valueList } from '../database/long-lists.ts'
import { ifNodesAnswer } from '../database/store-error.ts'
import type { JobRow } from './scheduled-jobs.ts'
import { nodeTimeoutMs } from './server-nodes.ts'

/** Which due jobs to list, in exact order. */
interface DueJobsRequest {
  readonly until: number
  readonly limit: number
  /** The caller, whose own leased jobs are not listed, and its time in milliseconds. */
  readonly own: { readonly owner: string; readonly wall: number }
  /** Only jobs after this one. */
  readonly after?: JobRow | undefined
  /** Accounts whose jobs are not listed. SQLite only. */
  readonly excludedAccounts?: readonly number[]
}

/** Lists the first due jobs, which every server does all the time. */
const firstDueJobs = compiledQuery((query, until: number, owner: string, wall: number, limit: number) =>
  query
    .selectFrom('due')
    .selectAll()
    .where('due_at', '<=', until)
    .where((row) =>
      row.or([row('lease_owner', 'is', null), row('lease_owner', '!=', owner), row('lease_until', '<=', wall)]),
    )
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit),
)

/**
 * Returns the earliest jobs at or before a time, in exact order. Jobs leased by others are included, so that the caller
 * can decide whether their owner is alive.
 */
export async function listDueJobs(query: PlatformQuery, request: DueJobsRequest): Promise<JobRow[]> {
  const { until, limit, own, after, excludedAccounts = [] } = request
  if (excludedAccounts.length > 0) return listDueJobsOfOthers(query, { ...request, excludedAccounts })
  if (!after) return firstDueJobs(query, until, own.owner, own.wall, limit)
  return query
    .selectFrom('due')
    .selectAll()
    .where('due_at', '<=', until)
    .where((row) =>
      row.or([row('lease_owner', 'is', null), row('lease_owner', '!=', own.owner), row('lease_until', '<=', own.wall)]),
    )
    .where((row) =>
      row.or([row('due_at', '>', after.due_at), row.and([row('due_at', '=', after.due_at), row('id', '>', after.id)])]),
    )
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * Lists due jobs of all accounts but some. Reads the jobs of each account through its index, so that the excluded
 * accounts may have any number of jobs.
 */
async function listDueJobsOfOthers(
  query: PlatformQuery,
  { until, limit, own, after, excludedAccounts }: DueJobsRequest & { readonly excludedAccounts: readonly number[] },
): Promise<JobRow[]> {
  const isAfter = after
    ? sql`d.due_at >= ${after.due_at} and (d.due_at > ${after.due_at} or d.id > ${after.id})`
    : sql`1 = 1`
  const { rows } = await sql<JobRow>`
    with recursive account (id) as (
      select min(account_id) from due
      union all
      select (select min(d.account_id) from due d where d.account_id > account.id) from account where account.id is not null
    )
    select due.* from account cross join due
    where account.id is not null and account.id not in ${valueList(excludedAccounts)} and due.id in (
      select d.id from due d
      where d.account_id = account.id and d.due_at <= ${until} and ${isAfter}
        and (d.lease_owner is null or d.lease_owner <> ${own.owner} or d.lease_until <= ${own.wall})
      order by d.due_at, d.id limit ${limit})
    order by due.due_at, due.id limit ${limit}`.execute(query)
  return rows
}

/** Due jobs of one kind. */
interface DueJobs {
  readonly kind: string
  readonly due: number
  /** Platform time in microseconds at which the oldest one was due. */
  readonly oldest: number
  /** Number of jobs that a process leases. */
  readonly leased: number
}

/** Returns the number of due jobs by kind, at a platform time in microseconds and a wall time in milliseconds. */
export const countDueJobs = async (query: PlatformQuery, now: number, wall: number): Promise<DueJobs[]> =>
  (
    await query
      .selectFrom('due')
      .where('due_at', '<=', now)
      .groupBy('kind')
      .select((builder) => [
        'kind',
        builder.fn.countAll<number>().as('due'),
        builder.fn.min<number>('due_at').as('oldest'),
        builder.fn.countAll<number>().filterWhere(sql<SqlBool>`lease_until > ${wall}`).as('leased'),
      ])
      .execute()
  ).map((it) => ({ ...it, due: Number(it.due), oldest: Number(it.oldest), leased: Number(it.leased) }))

/** Returns the number of due jobs that an owner leases. */
export const countOwnLeases = async (query: PlatformQuery, owner: string, now: number, wall: number): Promise<number> =>
  Number(
    (
      await query
        .selectFrom('due')
        .where('due_at', '<=', now)
        .where('lease_owner', '=', owner)
        .where('lease_until', '>', wall)
        .select((it) => it.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

/** Which jobs to lease, and for whom. */
interface ClaimRequest {
  readonly owner: string
  /** Platform time in microseconds until which jobs are due. */
  readonly until: number
  /** Time of the database in milliseconds. */
  readonly wall: number
  readonly leaseUntil: number
  /** Whether leases of servers without a heartbeat are void. */
  readonly mayTakeOver: boolean
  /** Maximum number of jobs, in total and of each account. */
  readonly limit: number
  readonly perAccount: number
  /** Accounts whose jobs this process has enough of. */
  readonly excludedAccounts: readonly number[]
}

/** Whether a job `d` is not leased, or its lease has ended, or its server has fallen silent. */
const isFree = (wall: number, mayTakeOver: boolean) => sql`(d.lease_owner is null or d.lease_until <= ${wall}
  or exists (select 1 from server_node n where n.id = d.lease_owner and n.seen_at <= ${mayTakeOver ? wall - nodeTimeoutMs : -1}))`

/** Returns leased rows as they were before the lease, in the order in which they were due. */
const inOrder = (rows: readonly JobRow[]): JobRow[] =>
  rows.map((row) => ({ ...row, attempts: row.attempts - 1 })).sort((a, b) => a.due_at - b.due_at || a.id - b.id)

/** Leases those of the given jobs of an account, or of any, that are as they were when they were read. PostgreSQL only. */
export async function leaseJobs(
  query: Query,
  jobs: readonly Pick<JobRow, 'id' | 'attempts' | 'lease_until'>[],
  { owner, leaseUntil }: Pick<ClaimRequest, 'owner' | 'leaseUntil'>,
): Promise<JobRow[]> {
  const columns = [jobs.map((it) => it.id), jobs.map((it) => it.attempts), jobs.map((it) => it.lease_until)]
  const { rows } = await sql<JobRow>`
    update due set lease_owner = ${owner}, lease_until = ${leaseUntil}, attempts = due.attempts + 1
    from unnest(${sql.join(columns.map((it) => sql`${sql.val(it)}::bigint[]`))}) as r (id, attempts, lease_until)
    where due.id = r.id and due.attempts = r.attempts and due.lease_until = r.lease_until
      ${query.account === undefined ? sql`` : sql`and due.account_id = ${query.account}`}
    returning due.*`.execute(query)
  return inOrder(rows)
}

/** Leased jobs, and the account after which the next claim begins. */
interface Claimed {
  readonly rows: JobRow[]
  readonly lastAccount: number
}

/** With fewer due jobs than this, they are read in the order of time, which needs no visit of every account. */
const fewJobs = 1000

/**
 * Leases due jobs in one statement, the earliest of each account first. Accounts have their turns in the order of ids,
 * beginning after `afterAccount`, so that none waits longer than one round, whatever backlog the others have. Only the
 * leased rows are locked, and rows that another process is leasing are skipped. The leases of servers without a
 * heartbeat are void. The returned rows have the attempts before this one. PostgreSQL only.
 */
export async function claimJobs(
  query: PlatformQuery,
  request: ClaimRequest & { readonly afterAccount: number },
): Promise<Claimed> {
  const { owner, until, wall, leaseUntil, mayTakeOver, limit, perAccount, excludedAccounts, afterAccount } = request
  const isFew = sql`(select count(*) < ${sql.lit(fewJobs)} from earliest)`
  const { rows } = await sql<JobRow & { readonly last_account: number }>`
    with recursive earliest as materialized (
      select account_id from due where due_at <= ${until} order by due_at, id limit ${sql.lit(fewJobs)}
    ), walk (account_id, is_second_lap, turn) as (
      select ${afterAccount}::bigint, false, 0::bigint where not ${isFew}
      union all
      select next.account_id, next.is_second_lap, w.turn + 1
      from walk w cross join lateral (
        (select d.account_id, w.is_second_lap from due d where d.account_id > w.account_id and d.due_at <= ${until}
          and (not w.is_second_lap or d.account_id <= ${afterAccount}) order by d.account_id limit 1)
        union all
        (select d.account_id, true from due d where not w.is_second_lap and d.account_id <= ${afterAccount}
          and d.due_at <= ${until} order by d.account_id limit 1)
        limit 1
      ) next where w.turn < ${limit + excludedAccounts.length}
    ), accounts as (
      select account_id, turn from (
        select account_id, turn from walk where turn > 0
        union all
        select account_id, row_number() over (order by account_id <= ${afterAccount}, account_id) from earliest
        where ${isFew} group by account_id
      ) a
      where account_id <> all(${sql.val([...excludedAccounts])}::bigint[]) order by turn limit ${limit}
    ), candidates as (
      select d.account_id, d.id, a.turn, row_number() over (partition by d.account_id order by d.due_at, d.id) as place
      from accounts a cross join lateral (
        select d.account_id, d.id, d.due_at from due d
        where d.account_id = a.account_id and d.due_at <= ${until} and ${isFree(wall, mayTakeOver)}
        order by d.due_at, d.id limit least(${perAccount}, ceil(${limit}::numeric / (select count(*) from accounts)))
      ) d
    ), picked as (
      select account_id, id from candidates order by place, turn limit ${limit}
    ), locked as (
      select d.account_id, d.id from picked p join due d on d.account_id = p.account_id and d.id = p.id
      where ${isFree(wall, mayTakeOver)} for update of d skip locked
    ), leased as (
      update due set lease_owner = ${owner}, lease_until = ${leaseUntil}, attempts = due.attempts + 1
      from locked l where due.account_id = l.account_id and due.id = l.id returning due.*
    )
    select leased.*, (select account_id from accounts order by turn desc limit 1) as last_account
    from (select) one left join leased on true`.execute(query)
  const leased = rows.filter((row) => row.id !== null).map(({ last_account: _, ...row }) => row)
  return { rows: inOrder(leased), lastAccount: rows[0]?.last_account ?? 0 }
}

/** Which due jobs of accounts on shards to look for. */
interface DueAccountsRequest {
  /** Platform time in microseconds until which jobs are due. */
  readonly until: number
  /** Time of the database in milliseconds. */
  readonly wall: number
  /** Ids of the servers whose leases are void. */
  readonly silentNodes: readonly string[]
  /** Maximum number of accounts. */
  readonly limit: number
}

/** Accounts with due jobs, and when the earliest job of each is due. */
interface DueAccountsFound {
  readonly accounts: readonly { readonly account: number; readonly dueAt: number }[]
  /** Whether there may be more accounts than the limit. */
  readonly isPartial: boolean
  /** Why some shards could not be read. */
  readonly unreachable?: string | undefined
}

/** Returns the accounts with jobs that no server leases, on all shards that can be reached. Sharded PostgreSQL only. */
export async function findDueAccounts(query: PlatformQuery, request: DueAccountsRequest): Promise<DueAccountsFound> {
  const { until, wall, silentNodes, limit } = request
  const found = query
    .selectFrom('due')
    .where('due_at', '<=', until)
    .where((row) =>
      row.or([
        row('lease_owner', 'is', null),
        row('lease_until', '<=', wall),
        sql<SqlBool>`lease_owner = any(${sql.val([...silentNodes])}::text[])`,
      ]),
    )
    .groupBy('account_id')
    .select((row) => ['account_id as account', row.fn.min<number>('due_at').as('dueAt')])
    .orderBy('dueAt')
    .limit(limit)
    .execute()
  const rows = await ifNodesAnswer(found)
  return rows ? { accounts: rows, isPartial: rows.length === limit } : findReachableDueAccounts(query, request)
}

/**
 * The same shard by shard, which takes the database fifteen times as long: one statement over all shards fails as a whole
 * while a node does not answer.
 */
async function findReachableDueAccounts(
  query: PlatformQuery,
  { until, wall, silentNodes, limit }: DueAccountsRequest,
): Promise<DueAccountsFound> {
  const { rows } = await sql<{ success: boolean; result: string }>`
    select success, result from run_command_on_shards('due', format($sql$
      select coalesce(json_agg(json_build_array(account_id, due_at)), '[]') from (
        select account_id, min(due_at) as due_at from %%s
        where due_at <= %s and (lease_owner is null or lease_until <= %s or lease_owner = any(%L::text[]))
        group by account_id order by 2 limit %s
      ) first $sql$, ${until}::bigint, ${wall}::bigint, ${sql.val([...silentNodes])}::text[], ${limit}::int))`.execute(
    query,
  )
  const shards = rows.flatMap(({ success, result }) => (success ? [parseJson(result) as [number, number][]] : []))
  return {
    accounts: shards.flat().map(([account, dueAt]) => ({ account, dueAt })),
    isPartial: shards.some((it) => it.length === limit),
    unreachable: rows.find((it) => !it.success)?.result,
  }
}

/** Returns the first jobs of an account that this process does not work on, due or not, in the order of due time. */
export const listFirstJobs = (query: AccountQuery, own: DueJobsRequest['own'], limit: number): Promise<JobRow[]> =>
  firstDueJobs(query, Number.MAX_SAFE_INTEGER, own.owner, own.wall, limit)
