import { sql } from 'kysely'
import type { PlatformQuery } from '../database/connection.ts'
import type { JobRow } from './scheduled-jobs.ts'

/** Tables whose rows are counted by hour, with the condition of a failure. The inspector shows them under these names. */
const activities = {
  messages: { table: 'message', failed: undefined },
  calls: { table: 'phone_call', failed: "status = 'failed'" },
  runs: { table: 'automation_run', failed: "status = 'FAILED'" },
  deliveries: { table: 'delivery', failed: "status = 'failed'" },
} as const

/** What is counted by hour. */
export type Activity = keyof typeof activities

/** Number of rows and failures in an hour. */
interface HourCount {
  /** Hours since the start. */
  readonly hour: number
  readonly count: number
  readonly failed: number
}

const hourMicros = 3600 * 1_000_000

/** Counts rows by hour from a time in microseconds on. */
export async function countByHour(
  query: PlatformQuery,
  activity: Activity,
  since: number,
  account: number | undefined,
): Promise<HourCount[]> {
  const { table, failed } = activities[activity]
  const hour = sql`cast((created_at - ${sql.raw(String(since))}) / ${sql.raw(String(hourMicros))} as integer)`
  const { rows } = await sql<HourCount>`select ${hour} as hour, count(*) as count,
    ${failed === undefined ? sql`0` : sql`sum(case when ${sql.raw(failed)} then 1 else 0 end)`} as failed
    from ${sql.table(table)} where created_at >= ${since}${account === undefined ? sql`` : sql` and account_id = ${account}`}
    group by 1`.execute(query)
  return rows.map((it) => ({ hour: Number(it.hour), count: Number(it.count), failed: Number(it.failed) }))
}

/** Next renewal of a number. */
interface NextCharge {
  readonly id: number
  readonly phone_number: string
  /** Millionths of USD. */
  readonly price: number
  /** Microseconds. */
  readonly at: number
}

/** Returns the next renewals of numbers. */
export async function listNextCharges(
  query: PlatformQuery,
  account: number | undefined,
  limit: number,
): Promise<NextCharge[]> {
  const rows = await query
    .selectFrom('subscription')
    .innerJoin('phone_number', (join) =>
      join
        .onRef('phone_number.account_id', '=', 'subscription.account_id')
        .onRef('phone_number.id', '=', 'subscription.number_id'),
    )
    .select(['phone_number.id', 'phone_number', 'price', 'period_end as at'])
    .where('subscription.status', 'in', ['active', 'past_due'])
    .$if(account !== undefined, (it) => it.where('subscription.account_id', '=', account as number))
    .orderBy('period_end')
    .limit(limit)
    .execute()
  return rows.map((it) => ({ ...it, id: Number(it.id), price: Number(it.price), at: Number(it.at) }))
}

/** Returns the numbers of subscriptions and their prices in millionths of USD, by the id of the subscription. */
export async function findRenewals(
  query: PlatformQuery,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Pick<NextCharge, 'phone_number' | 'price'>>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('subscription')
    .innerJoin('phone_number', (join) =>
      join
        .onRef('phone_number.account_id', '=', 'subscription.account_id')
        .onRef('phone_number.id', '=', 'subscription.number_id'),
    )
    .select(['subscription.id', 'phone_number', 'price'])
    .where('subscription.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, phone_number, price }) => [Number(id), { phone_number, price: Number(price) }]))
}

/** Returns phone numbers by their ids. */
export async function findPhoneNumbers(
  query: PlatformQuery,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query.selectFrom('phone_number').select(['id', 'phone_number']).where('id', 'in', ids).execute()
  return new Map(rows.map((it) => [Number(it.id), it.phone_number]))
}

/** Returns the UUIDs of conversations by their ids. */
export async function findConversationUuids(
  query: PlatformQuery,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query.selectFrom('conversation').select(['id', 'uuid']).where('id', 'in', ids).execute()
  return new Map(rows.map((it) => [Number(it.id), it.uuid]))
}

/** Returns the names of campaigns by their ids. */
export async function findCampaignNames(
  query: PlatformQuery,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query.selectFrom('campaign').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map((it) => [Number(it.id), it.name]))
}

/** Returns the scheduled jobs, the next one first. */
export const listScheduledJobs = (query: PlatformQuery, limit: number): Promise<JobRow[]> =>
  query.selectFrom('due').selectAll().orderBy('due_at').orderBy('id').limit(limit).execute()
