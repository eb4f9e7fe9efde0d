// Rows of scheduled jobs. The functions run in the transaction of what the job is about, so that both are saved or neither.
// A lease counts as an attempt: `attempts` tells whether a process still has the lease that it read.

import { type Insertable, type Selectable, sql } from 'kysely'
import { currentTrace } from '../../../node/trace.ts'
import { runJobKind } from '../automations/runs.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, PlatformQuery, Query } from '../database/connection.ts'
import type { ScheduledJobTable } from './tables.ts'

export type JobRow = Selectable<ScheduledJobTable>

/** Maximum number of subjects in one statement. */
const maxSubjects = 1000

/** Inserts a scheduled job. It continues the current trace. */
export async function insertJob(query: AccountQuery, due: Insertable<ScheduledJobTable>): Promise<JobRow> {
  const { account_id, kind, subject, due_at, attempts, lease_owner, lease_until } = due
  const job = [account_id, kind, subject, due_at, attempts, currentTrace() ?? null, lease_until] as const
  const rows = lease_owner ? insertLeasedQuery(query, ...job, lease_owner) : insertFreeQuery(query, ...job)
  return (await rows)[0] as JobRow
}

type NewJob = [
  account_id: number,
  kind: string,
  subject: string,
  due_at: number,
  attempts: number,
  trace: string | null,
  lease_until: number,
]

/** Other processes learn of a job without a lease from the columns of its statement. */
const insertFreeQuery = compiledQuery(
  (query, ...[account_id, kind, subject, due_at, attempts, trace, lease_until]: NewJob) =>
    query.insertInto('due').values({ account_id, kind, subject, due_at, attempts, trace, lease_until }).returningAll(),
)

const insertLeasedQuery = compiledQuery(
  (query, ...[account_id, kind, subject, due_at, attempts, trace, lease_until, lease_owner]: [...NewJob, string]) =>
    query
      .insertInto('due')
      .values({ account_id, kind, subject, due_at, attempts, trace, lease_until, lease_owner })
      .returningAll(),
)

/**
 * Leases those of the given jobs that are as they were when they were read, and returns them. SQLite only: its
 * transactions run one at a time, so that a check before the change is enough.
 */
export async function leaseUnchangedJobs(
  query: PlatformQuery,
  jobs: readonly JobRow[],
  { owner, leaseUntil }: { readonly owner: string; readonly leaseUntil: number },
): Promise<JobRow[]> {
  const ids = jobs.map((it) => it.id)
  const rows = await query.selectFrom('due').select(['id', 'attempts', 'lease_until']).where('id', 'in', ids).execute()
  const current = new Map(rows.map((it) => [it.id, it]))
  const free = jobs.filter(({ id, attempts, lease_until }) => {
    const job = current.get(id)
    return job?.attempts === attempts && job.lease_until === lease_until
  })
  const lease = { lease_owner: owner, lease_until: leaseUntil, attempts: sql<number>`attempts + 1` }
  const freeIds = free.map((it) => it.id)
  if (free.length > 0) await query.updateTable('due').set(lease).where('id', 'in', freeIds).execute()
  return free
}

/** Condition that a row is still leased as it was by a process that read it before: every lease is one attempt more. */
const stillLeased = ({ id, attempts }: Pick<JobRow, 'id' | 'attempts'>) => ({ id, attempts: attempts + 1 })

/** Postpones a leased job: the lease ends and the job is due again at `dueAt`. Does nothing if the lease was lost. */
export async function postponeJob(
  query: AccountQuery,
  row: Pick<JobRow, 'id' | 'attempts'>,
  dueAt: number,
): Promise<void> {
  const { id, attempts } = stillLeased(row)
  await query
    .updateTable('due')
    .set({ due_at: dueAt, lease_owner: null, lease_until: 0 })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/**
 * Extends leases that an owner still has, until a time in milliseconds. The rows are as they were before the lease.
 * Returns the rows of jobs that are still leased: not of those that were taken over, even by the owner itself, or ended.
 */
export async function renewLeases(
  query: Query,
  rows: readonly JobRow[],
  owner: string,
  until: number,
): Promise<JobRow[]> {
  const renewed = await query
    .updateTable('due')
    .set({ lease_until: until })
    .where(
      'id',
      'in',
      rows.map((row) => row.id),
    )
    .where('lease_owner', '=', owner)
    .returning(['id', 'attempts'])
    .execute()
  const attempts = new Map(renewed.map((it) => [it.id, it.attempts]))
  return rows.filter((row) => attempts.get(row.id) === stillLeased(row).attempts)
}

/** Extends the leases that an owner has of the jobs of subjects until a time in milliseconds; 0 ends them. */
export async function renewLeasesOf(
  query: Query,
  kind: string,
  subjects: readonly string[],
  { owner, until }: { readonly owner: string; readonly until: number },
): Promise<void> {
  await query
    .updateTable('due')
    .set({ lease_until: until })
    .where('kind', '=', kind)
    .where('subject', 'in', subjects)
    .where('lease_owner', '=', owner)
    .execute()
}

/** Ends all leases of an owner, or those until a time, so that the jobs can be leased again. */
export async function releaseLeases(query: Query, owner: string, until?: number): Promise<void> {
  const leases = query.updateTable('due').set({ lease_owner: null, lease_until: 0 }).where('lease_owner', '=', owner)
  await (until === undefined ? leases : leases.where('lease_until', '=', until)).execute()
}

/** Returns all leased jobs of an owner. */
export const listLeases = (query: PlatformQuery, owner: string): Promise<JobRow[]> =>
  query.selectFrom('due').selectAll().where('lease_owner', '=', owner).execute()

/**
 * Releases leases of jobs that their owner does not work on. Their runs are released too, so that they do not count as
 * runs during which a process died.
 */
export async function releaseStaleLeases(query: Query, rows: readonly JobRow[], owner: string): Promise<void> {
  const ids = rows.map((row) => row.id)
  const released = await query
    .updateTable('due')
    .set({ lease_owner: null, lease_until: 0 })
    .where('id', 'in', ids)
    .where('lease_owner', '=', owner)
    .returning(['kind', 'subject'])
    .execute()
  const runs = released.filter((job) => job.kind === runJobKind).map((job) => job.subject)
  if (runs.length > 0) await query.updateTable('automation_run').set({ held: 0 }).where('id', 'in', runs).execute()
}

/**
 * Returns the number of attempts of a job, undefined if it does not exist any more. Until the transaction ends, no other
 * process can lease the job.
 */
export const lockAttempts = async (query: AccountQuery, id: number): Promise<number | undefined> =>
  (await query.selectFrom('due').select('attempts').where('id', '=', id).forNoKeyUpdate().executeTakeFirst())?.attempts

/**
 * Due time of jobs that wait until their stopped account is resumed: after any time of a clock. Rows have it, so it never
 * changes.
 */
export const heldUntil = 9_000_000_000_000_000

/** Lets a leased job wait until its account is resumed, as if it had not been leased. Does nothing if the lease was lost. */
export async function holdJob(query: AccountQuery, row: Pick<JobRow, 'id' | 'attempts'>): Promise<void> {
  const { id, attempts } = stillLeased(row)
  await query
    .updateTable('due')
    .set({ due_at: heldUntil, attempts: row.attempts, lease_owner: null, lease_until: 0 })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Makes the jobs of an account due that waited until it is resumed. */
export async function releaseHeldJobs(query: AccountQuery, dueAt: number): Promise<void> {
  await query
    .updateTable('due')
    .set({ due_at: dueAt, lease_owner: null, lease_until: 0 })
    .where('account_id', '=', query.account)
    .where('due_at', '=', heldUntil)
    .execute()
}

/** Returns the jobs of these kinds of an account that a process works on, by their leases at a time of the machine. */
export const listLeasedJobs = (
  query: AccountQuery,
  kinds: readonly string[],
  wall: number,
): Promise<Pick<JobRow, 'kind' | 'subject'>[]> =>
  query
    .selectFrom('due')
    .select(['kind', 'subject'])
    .where('account_id', '=', query.account)
    .where('kind', 'in', kinds)
    .where('lease_until', '>', wall)
    .execute()

/** Returns a leased job to its state before the lease. Does nothing if the lease was lost. */
export async function releaseJob(query: AccountQuery, row: Pick<JobRow, 'id' | 'attempts'>): Promise<void> {
  const { id, attempts } = stillLeased(row)
  await query
    .updateTable('due')
    .set({ attempts: row.attempts, lease_owner: null, lease_until: 0 })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Releases the job of a subject for any process, after the jobs that are due before `dueAt`. */
export async function requeueJob(query: AccountQuery, kind: string, subject: string, dueAt: number): Promise<void> {
  const released = { due_at: dueAt, lease_owner: null, lease_until: 0 }
  await query.updateTable('due').set(released).where('kind', '=', kind).where('subject', '=', subject).execute()
}

/** Returns the job of a kind and subject that was started and has not ended. */
export const findStartedJob = (query: AccountQuery, kind: string, subject: string): Promise<JobRow | undefined> =>
  query
    .selectFrom('due')
    .selectAll()
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('attempts', '>', 0)
    .executeTakeFirst()

/** Returns whether there is a job of a kind and subject. */
export const hasJob = async (query: AccountQuery, kind: string, subject: string): Promise<boolean> =>
  (await jobQuery(query, kind, subject)).length > 0

const jobQuery = compiledQuery(
  (query, kind: string, subject: string) =>
    query.selectFrom('due').select('id').where('kind', '=', kind).where('subject', '=', subject).limit(sql.lit(1)),
  { isSingleRow: true },
)

/** Deletes the job of a kind and subject, unless it was started. */
export async function deleteUnstartedJob(query: AccountQuery, kind: string, subject: string): Promise<void> {
  await query
    .deleteFrom('due')
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('attempts', '=', 0)
    .execute()
}

/** Deletes the job of a kind and subject. */
export async function deleteJob(query: AccountQuery, kind: string, subject: string): Promise<void> {
  await deleteJobQuery(query, kind, subject)
}

const deleteJobQuery = compiledQuery((query, kind: string, subject: string) =>
  query.deleteFrom('due').where('kind', '=', kind).where('subject', '=', subject),
)

/** Returns the due time of the next job after a time, without some kinds; undefined if there is none. */
export async function nextJobAt(
  query: PlatformQuery,
  after: number,
  excludedKinds: readonly string[] = [],
): Promise<number | undefined> {
  if (excludedKinds.length === 0) return (await nextJobQuery(query, after))[0]?.due_at
  const rows = query.selectFrom('due').select('due_at').where('due_at', '>', after).where('due_at', '<', heldUntil)
  return (await rows.where('kind', 'not in', excludedKinds).orderBy('due_at').limit(1).executeTakeFirst())?.due_at
}

/** Returns the due time of the first job that no process leases; undefined if there is none. */
export const firstFreeJobAt = async (query: PlatformQuery): Promise<number | undefined> =>
  (await firstFreeJobQuery(query))[0]?.due_at

const firstFreeJobQuery = compiledQuery((query) =>
  query.selectFrom('due').select('due_at').where('lease_owner', 'is', null).orderBy('due_at').limit(1),
)

const nextJobQuery = compiledQuery((query, after: number) =>
  query
    .selectFrom('due')
    .select('due_at')
    .where('due_at', '>', after)
    .where('due_at', '<', sql.lit(heldUntil))
    .orderBy('due_at')
    .limit(1),
)

/** Returns the jobs of a kind that are due by a time, earliest first. */
export const listDueJobsOfKind = (
  query: PlatformQuery,
  kind: string,
  until: number,
): Promise<Pick<JobRow, 'account_id' | 'subject' | 'due_at'>[]> =>
  query
    .selectFrom('due')
    .select(['account_id', 'subject', 'due_at'])
    .where('kind', '=', kind)
    .where('due_at', '<=', until)
    .orderBy('due_at')
    .execute()

/** Returns the due time of a job that was not started; undefined if there is none. */
export const findUnstartedJobAt = async (
  query: AccountQuery,
  kind: string,
  subject: string,
): Promise<number | undefined> =>
  (
    await query
      .selectFrom('due')
      .select('due_at')
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .where('attempts', '=', 0)
      .executeTakeFirst()
  )?.due_at

/** Reschedules a job for `dueAt` as not started. Returns false if there is none. */
export async function rescheduleJob(
  query: AccountQuery,
  kind: string,
  subject: string,
  dueAt: number,
): Promise<boolean> {
  const job = await query
    .selectFrom('due')
    .select('id')
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (!job) return false
  await query
    .updateTable('due')
    .set({ due_at: dueAt, lease_owner: null, lease_until: 0, attempts: 0 })
    .where('id', '=', job.id)
    .execute()
  return true
}

/** Makes jobs of a kind due at a time that is before theirs: those that no process leases and that are not held. */
export async function wakeJobs(
  query: AccountQuery,
  kind: string,
  subjects: readonly string[],
  dueAt: number,
): Promise<void> {
  for (let from = 0; from < subjects.length; from += maxSubjects)
    await query
      .updateTable('due')
      .set({ due_at: dueAt })
      .where('kind', '=', kind)
      .where('subject', 'in', subjects.slice(from, from + maxSubjects))
      .where('lease_owner', 'is', null)
      .where('due_at', '>', dueAt)
      .where('due_at', '<', heldUntil)
      .execute()
}

/** Deletes a job by id. */
export async function deleteJobById(query: AccountQuery, id: number): Promise<void> {
  await query.deleteFrom('due').where('id', '=', id).execute()
}

/** Returns the due time of the next job of a kind after a time; undefined if there is none. */
export async function nextJobOfKindAt(query: PlatformQuery, kind: string, after: number): Promise<number | undefined> {
  const rows = query.selectFrom('due').select('due_at').where('kind', '=', kind).where('due_at', '>', after)
  return (await rows.where('due_at', '<', heldUntil).orderBy('due_at').limit(1).executeTakeFirst())?.due_at
}

/** Returns the kinds of jobs that are due after a time, sorted. */
export async function scheduledKinds(query: PlatformQuery, after: number): Promise<readonly string[]> {
  const rows = query.selectFrom('due').select('kind').distinct().where('due_at', '>', after)
  return (await rows.where('due_at', '<', heldUntil).orderBy('kind').execute()).map((it) => it.kind)
}
