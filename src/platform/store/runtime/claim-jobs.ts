import { sql } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { JobRow } from './scheduled-jobs.ts'
import { nodeTimeoutMs } from './server-nodes.ts'

/** Which jobs to lease, and for whom. */
export interface ClaimRequest {
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

/** Leases those of the given jobs that are as they were when they were read. PostgreSQL only. */
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
    returning due.*`.execute(query)
  return inOrder(rows)
}

/**
 * Leases due jobs in one statement, the earliest of each account first, so that the backlog of one account does not
 * delay the others. Rows that another process is leasing are skipped. The leases of servers without a heartbeat are
 * void. The returned rows have the attempts before this one. PostgreSQL only.
 */
export async function claimJobs(query: Query, request: ClaimRequest): Promise<JobRow[]> {
  const { owner, until, wall, leaseUntil, mayTakeOver, limit, perAccount, excludedAccounts } = request
  const { rows } = await sql<JobRow>`
    with recursive accounts as (
      (select account_id from due where due_at <= ${until} order by account_id limit 1)
      union all
      select (select d.account_id from due d where d.account_id > a.account_id and d.due_at <= ${until}
        order by d.account_id limit 1)
      from accounts a where a.account_id is not null
    ), candidates as (
      select d.id, d.due_at, row_number() over (partition by d.account_id order by d.due_at, d.id) as place
      from accounts a cross join lateral (
        select d.id, d.due_at, d.account_id from due d
        where d.account_id = a.account_id and d.due_at <= ${until} and ${isFree(wall, mayTakeOver)}
        order by d.due_at, d.id limit ${perAccount} for update skip locked
      ) d
      where a.account_id is not null and a.account_id <> all(${sql.val([...excludedAccounts])}::bigint[])
    ), picked as (select id from candidates order by place, due_at, id limit ${limit})
    update due set lease_owner = ${owner}, lease_until = ${leaseUntil}, attempts = due.attempts + 1
    from picked where due.id = picked.id returning due.*`.execute(query)
  return inOrder(rows)
}
