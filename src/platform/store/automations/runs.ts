// Rows of runs. While a process executes a run, it writes with `updateClaimedRun` and `finishClaimedRun`, which change
// nothing after another process has claimed the run. Claiming is in src/platform/runs/claim-run.ts.

import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { accountCondition } from '../database/account-query.ts'
import { compiledQuery, compiledUpdate } from '../database/compiled-query.ts'
import type { AccountQuery, PlatformQuery } from '../database/connection.ts'
import type { AutomationRunTable, RunStatus } from './tables.ts'

export type RunRow = Selectable<AutomationRunTable>
/** Run that has no number yet. */
export type NewRunRow = Omit<RunRow, 'number'>

/** Kind of the scheduled job of an unfinished run. Its subject is the id of the run. Its rows have this name, so it never changes. */
export const runJobKind = 'automation.run'

/** Run and the number of claims at which this process holds it. After another process claims it, the number differs. */
export type ClaimedRun = Pick<RunRow, 'number' | 'claims'>

/** Inserts a run that the calling process holds. Returns undefined if its id or deduplication key is taken. */
export async function insertRun(query: AccountQuery, run: Insertable<AutomationRunTable>): Promise<RunRow | undefined> {
  const {
    id,
    account_id,
    automation_id,
    version_id,
    testing,
    payload,
    held,
    dedupe_key = null,
    key_id = null,
    created_at,
  } = run
  return (
    await insertRunQuery(
      query,
      id,
      account_id,
      automation_id,
      version_id,
      testing,
      payload,
      held,
      dedupe_key,
      key_id,
      created_at,
    )
  )[0]
}

const insertRunQuery = compiledQuery(
  (
    query,
    id: string,
    account_id: number,
    automation_id: string,
    version_id: string,
    testing: number,
    payload: string,
    held: number,
    dedupe_key: string | null,
    key_id: number | null,
    created_at: number,
  ) =>
    query
      .insertInto('automation_run')
      .values({
        id,
        account_id,
        automation_id,
        version_id,
        testing,
        payload,
        held,
        dedupe_key,
        key_id,
        created_at,
        status: 'RUNNING',
        claims: sql<number>`1`,
        mark: sql<number>`0`,
        stalls: sql<number>`0`,
        round: sql<number>`1`,
        active: sql<number>`0`,
      })
      .onConflict((it) => it.doNothing())
      .returningAll(),
)

/** Returns a run by id. */
export const findRun = (query: AccountQuery, id: string): Promise<RunRow | undefined> =>
  query.selectFrom('automation_run').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns a run of any account by id. */
export const findAnyRun = (query: PlatformQuery, id: string): Promise<RunRow | undefined> =>
  query.selectFrom('automation_run').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns runs by ids, in any order. */
export const listRunsById = (query: AccountQuery, ids: readonly string[]): Promise<RunRow[]> =>
  query.selectFrom('automation_run').selectAll().where('id', 'in', ids).execute()

/** Returns the run of an automation with a deduplication key. */
export const findRunByDedupe = (query: AccountQuery, automation: string, key: string): Promise<RunRow | undefined> =>
  query
    .selectFrom('automation_run')
    .selectAll()
    .where('automation_id', '=', automation)
    .where('dedupe_key', '=', key)
    .executeTakeFirst()

/** Returns the runs of an automation that have a deduplication key and have not ended. */
export const listKeyedUnfinishedRuns = (query: AccountQuery, automation: string): Promise<RunRow[]> =>
  query
    .selectFrom('automation_run')
    .selectAll()
    .where('automation_id', '=', automation)
    .where('dedupe_key', 'is not', null)
    .where('finished_at', 'is', null)
    .execute()

/** Returns the runs with one of these deduplication keys that have not ended, of any automation. */
export const listUnfinishedByDedupe = async (query: AccountQuery, keys: readonly string[]): Promise<RunRow[]> =>
  keys.length === 0
    ? []
    : query
        .selectFrom('automation_run')
        .selectAll()
        .where('account_id', '=', query.account)
        .where('dedupe_key', 'in', keys)
        .where('finished_at', 'is', null)
        .execute()

/** Returns the runs of an automation, newest first. */
export const listRuns = (query: AccountQuery, automation: string, limit: number): Promise<RunRow[]> =>
  query
    .selectFrom('automation_run')
    .selectAll()
    .where('automation_id', '=', automation)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()

/** Counts the live runs of each version of an automation, and how many of them failed. Cancelled runs did not fail. */
export async function countRunsByVersion(
  query: AccountQuery,
  automation: string,
): Promise<ReadonlyMap<string, { readonly runs: number; readonly failures: number }>> {
  const rows = await query
    .selectFrom('automation_run')
    .select((builder) => [
      'version_id',
      builder.fn.countAll<number>().as('runs'),
      builder.fn
        .countAll<number>()
        .filterWhere((one) => one.and([one('status', '=', 'FAILED'), one('cancelled_at', 'is', null)]))
        .as('failures'),
    ])
    .where('automation_id', '=', automation)
    .where('testing', '=', 0)
    .groupBy('version_id')
    .execute()
  return new Map(rows.map((it) => [it.version_id, { runs: Number(it.runs), failures: Number(it.failures) }]))
}

/** Newest live run of an automation, with the number of its newest live runs and of those that failed. */
export interface RecentRuns {
  readonly automation_id: string
  readonly id: string
  readonly status: RunStatus
  readonly cancelled_at: number | null
  readonly created_at: number
  readonly error: string | null
  readonly runs: number
  readonly failures: number
}

/** Returns the newest live run of each automation of an account, and the failures among its last `limit` live runs. */
export async function listRecentRuns(query: AccountQuery, limit: number): Promise<readonly RecentRuns[]> {
  const own = accountCondition(query, 'account_id')
  const newest = sql`select status, cancelled_at from automation_run
    where ${own} and automation_id = a.id and testing = 0 order by number desc limit ${limit}`
  const { rows } = await sql<RecentRuns>`select r.automation_id, r.id, r.status, r.cancelled_at, r.created_at, r.error,
    (select count(*) from (${newest}) n) as runs,
    (select count(*) from (${newest}) n where n.status = 'FAILED' and n.cancelled_at is null) as failures
    from automation a join automation_run r on ${accountCondition(query, 'r.account_id')} and r.number =
      (select number from automation_run where ${own} and automation_id = a.id and testing = 0 order by number desc limit 1)
    where a.account_id = ${query.account}`.execute(query)
  return rows.map((counts) => ({
    ...counts,
    created_at: Number(counts.created_at),
    runs: Number(counts.runs),
    failures: Number(counts.failures),
  }))
}

/** Conditions of a list of runs; all that are given must hold. */
export interface RunFilters {
  readonly automation?: string | undefined
  /** CANCELLED runs are stored as FAILED ones with a time of cancellation. */
  readonly status?: RunStatus | 'CANCELLED' | undefined
  readonly testing?: boolean | undefined
  /** Only runs that started at or after `since` and before `until`, in microseconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only runs with a smaller number. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Run with the name of its automation and the number of its version. */
export type NamedRun = RunRow & { readonly automation_name: string; readonly version: number | null }

const namedRuns = (query: AccountQuery) =>
  query
    .selectFrom('automation_run as run')
    .innerJoin('automation', 'automation.id', 'run.automation_id')
    .leftJoin('automation_version', 'automation_version.id', 'run.version_id')
    .selectAll('run')
    .select(['automation.name as automation_name', 'automation_version.position as version'])

/** Returns the runs of an account, newest first. */
export const listNamedRuns = (query: AccountQuery, filters: RunFilters): Promise<NamedRun[]> =>
  namedRuns(query)
    // One of the two, so that SQLite uses its index. The scope of the query adds the account without one.
    .$if(filters.automation !== undefined, (all) => all.where('run.automation_id', '=', filters.automation as string))
    .$if(filters.automation === undefined, (all) => all.where('run.account_id', '=', query.account))
    // A cancelled run is a failed one. There is an index of those.
    .$if(filters.status === 'CANCELLED', (all) =>
      all.where('run.status', '=', sql.lit<'FAILED'>('FAILED')).where('run.cancelled_at', 'is not', null),
    )
    .$if(filters.status !== undefined && filters.status !== 'CANCELLED', (all) =>
      all.where('run.status', '=', sql.lit(filters.status as RunStatus)).where('run.cancelled_at', 'is', null),
    )
    .$if(filters.testing !== undefined, (all) => all.where('run.testing', '=', filters.testing ? 1 : 0))
    .$if(filters.since !== undefined, (all) => all.where('run.created_at', '>=', filters.since as number))
    .$if(filters.until !== undefined, (all) => all.where('run.created_at', '<', filters.until as number))
    .$if(filters.before !== undefined, (all) => all.where('run.number', '<', filters.before as number))
    .orderBy('run.number', 'desc')
    .limit(filters.limit)
    .execute()

/** Returns a run of an account with the names of its automation and version. */
export const findNamedRun = (query: AccountQuery, id: string): Promise<NamedRun | undefined> =>
  namedRuns(query).where('run.id', '=', id).executeTakeFirst()

/** Returns the due time of the job of a run; undefined if it has no job. */
export async function runDueAt(query: AccountQuery, id: string): Promise<number | undefined> {
  return (
    await query
      .selectFrom('due')
      .select('due_at')
      .where('kind', '=', runJobKind)
      .where('subject', '=', id)
      .executeTakeFirst()
  )?.due_at
}

/**
 * Updates a run that this process still holds. Returns false without any change if another process has claimed it or it
 * was deleted.
 */
export async function updateClaimedRun(
  query: AccountQuery,
  { number, claims }: ClaimedRun,
  change: Updateable<AutomationRunTable>,
): Promise<boolean> {
  return (await runClaimedUpdate(query, [number, claims, 1], change)) !== undefined
}

const runClaimedUpdate = compiledUpdate('automation_run', ['number', 'claims', 'held'])

/** Ends a run that this process still holds. Returns false otherwise. */
export async function finishClaimedRun(
  query: AccountQuery,
  { number, claims }: ClaimedRun,
  end: { status: RunStatus; error: string | null; answer: string | null; active: number; now: number },
): Promise<boolean> {
  return (
    (await finishRunQuery(query, number, claims, end.status, end.error, end.answer, end.active, end.now)).length > 0
  )
}

const finishRunQuery = compiledQuery(
  (
    query,
    number: number,
    claims: number,
    status: RunStatus,
    error: string | null,
    answer: string | null,
    active: number,
    finished_at: number,
  ) =>
    query
      .updateTable('automation_run')
      .set({ status, error, answer, active, finished_at, held: sql<number>`0` })
      .where('number', '=', number)
      .where('claims', '=', claims)
      .where('held', '=', sql<number>`1`)
      .returning('number'),
)

/** Updates a run. */
export async function updateRun(
  query: AccountQuery,
  number: number,
  change: Updateable<AutomationRunTable>,
): Promise<void> {
  await query.updateTable('automation_run').set(change).where('number', '=', number).execute()
}

/** Marks runs as held by the calling process. Other processes can no longer write to them. */
export async function holdRuns(
  query: AccountQuery,
  numbers: readonly number[],
  { mark, stalls }: Pick<RunRow, 'mark' | 'stalls'>,
): Promise<void> {
  const claims = sql<number>`claims + 1`
  await query
    .updateTable('automation_run')
    .set({ status: 'RUNNING', claims, held: 1, mark, stalls })
    .where('number', 'in', numbers)
    .execute()
}

/** Lease of the job of a run: its process, and the wall time in milliseconds at which it ends. */
export interface RunLease {
  readonly owner: string
  readonly until: number
}

/**
 * Schedules the job of a run for a time, and releases it, or leases it to the process that continues the run at once.
 * Returns false if the run has no job.
 */
export async function rescheduleRun(query: AccountQuery, id: string, at: number, lease?: RunLease): Promise<boolean> {
  return (await rescheduleRunQuery(query, id, at, lease?.owner ?? null, lease?.until ?? 0)).length > 0
}

const rescheduleRunQuery = compiledQuery((query, id: string, due_at: number, owner: string | null, until: number) =>
  query
    .updateTable('due')
    .set({ due_at, lease_owner: owner, lease_until: until })
    .where('kind', '=', sql.lit(runJobKind))
    .where('subject', '=', id)
    .returning('id'),
)

/** Returns the URL that receives the failed runs of an account. */
export async function findRunWebhook(query: AccountQuery): Promise<string | undefined> {
  return (
    await query
      .selectFrom('automation_webhook')
      .select('url')
      .where('account_id', '=', query.account)
      .executeTakeFirst()
  )?.url
}

/** Sets the URL that receives the failed runs of an account; null removes it. */
export async function setRunWebhook(query: AccountQuery, url: string | null): Promise<void> {
  await query.deleteFrom('automation_webhook').where('account_id', '=', query.account).execute()
  if (url !== null) await query.insertInto('automation_webhook').values({ account_id: query.account, url }).execute()
}
