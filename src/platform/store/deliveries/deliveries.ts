// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { currentTrace } from '../../../node/trace.ts'
import { compiledQuery, compiledUpdate } from '../database/compiled-query.ts'
import type { AccountQuery, PlatformQuery, Query } from '../database/connection.ts'
import {
  type PurgeBatch,
  type PurgedBatch,
  positionAfter,
  purgeBatchSize,
  schedulePurge,
} from '../runtime/purge-batches.ts'
import { hasJob, insertJob } from '../runtime/scheduled-jobs.ts'
import type { DeliveryAttemptTable, DeliveryTable, WebhookSecretTable } from './tables.ts'

export type DeliveryRow = Selectable<DeliveryTable>
type AttemptRow = Selectable<DeliveryAttemptTable>

/** Kind of the scheduled job of a delivery. Its subject is the id of the delivery. Its rows have this name, so it never changes. */
export const deliveryJobKind = 'delivery'

/** Conditions of a list of deliveries; all that are given must hold. */
export interface DeliveryFilters {
  readonly account?: number | undefined
  readonly status?: DeliveryRow['status'] | undefined
  readonly event?: string | undefined
  readonly since?: number | undefined
}

/** Inserts a delivery. Returns undefined if the event has one. */
export const insertDelivery = async (
  query: AccountQuery,
  delivery: Insertable<DeliveryTable>,
): Promise<DeliveryRow | undefined> => {
  const row = await query
    .insertInto('delivery')
    .values({ ...delivery, trace: currentTrace() ?? null })
    .onConflict((it) => it.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) await schedulePurge(query, row.id, row.created_at)
  return row
}

/** Returns a delivery by id. */
export const findDelivery = async (query: AccountQuery, id: number): Promise<DeliveryRow | undefined> =>
  (await deliveryQuery(query, id))[0]

const deliveryQuery = compiledQuery(
  (query, id: number) => query.selectFrom('delivery').selectAll().where('id', '=', id),
  { isSingleRow: true },
)

/** Returns deliveries by ids. */
export const findDeliveries = (query: Query, ids: readonly number[]): Promise<DeliveryRow[]> =>
  query.selectFrom('delivery').selectAll().where('id', 'in', ids).orderBy('id').execute()

const filteredDeliveries = (query: PlatformQuery, { account, status, event, since }: DeliveryFilters) =>
  query
    .selectFrom('delivery')
    .$if(account !== undefined, (it) => it.where('account_id', '=', account as number))
    .$if(status !== undefined, (it) => it.where('status', '=', sql.lit(status as DeliveryRow['status'])))
    .$if(event !== undefined, (it) => it.where('event', '=', event as DeliveryRow['event']))
    .$if(since !== undefined, (it) => it.where('created_at', '>=', since as number))

/** Returns deliveries, newest first. */
export const listDeliveries = (query: PlatformQuery, filters: DeliveryFilters, limit: number): Promise<DeliveryRow[]> =>
  filteredDeliveries(query, filters).selectAll().orderBy('id', 'desc').limit(limit).execute()

/** Returns the ids of matching deliveries after an id, oldest first. */
export const listDeliveryIds = async (
  query: PlatformQuery,
  filters: DeliveryFilters,
  after: number,
  limit: number,
): Promise<number[]> =>
  (
    await filteredDeliveries(query, filters).select('id').where('id', '>', after).orderBy('id').limit(limit).execute()
  ).map((it) => it.id)

/** Returns the attempts of a delivery in order. */
export const listAttempts = (query: AccountQuery, delivery: number): Promise<AttemptRow[]> =>
  query.selectFrom('delivery_attempt').selectAll().where('delivery_id', '=', delivery).orderBy('number').execute()

/** Stores an attempt of a delivery. */
export async function insertAttempt(query: AccountQuery, attempt: Insertable<DeliveryAttemptTable>): Promise<void> {
  const { account_id, delivery_id, number, at, status, error, answer, ms } = attempt
  await insertAttemptQuery(
    query,
    account_id,
    delivery_id,
    number,
    at,
    status ?? null,
    error ?? null,
    answer ?? null,
    ms,
  )
}

const insertAttemptQuery = compiledQuery(
  (
    query,
    account_id: number,
    delivery_id: number,
    number: number,
    at: number,
    status: number | null,
    error: string | null,
    answer: string | null,
    ms: number,
  ) => query.insertInto('delivery_attempt').values({ account_id, delivery_id, number, at, status, error, answer, ms }),
)

/** Updates a delivery. */
export async function updateDelivery(
  query: AccountQuery,
  id: number,
  change: Updateable<DeliveryTable>,
): Promise<void> {
  await runDeliveryUpdate(query, [id], change)
}

const runDeliveryUpdate = compiledUpdate('delivery', ['id'])

/** Returns the first pending delivery of a lane. */
const findLaneHead = async (query: AccountQuery, lane: string): Promise<DeliveryRow | undefined> =>
  (await laneHeadQuery(query, lane))[0]

const laneHeadQuery = compiledQuery(
  (query, lane: string) =>
    query
      .selectFrom('delivery')
      .selectAll()
      .where('lane', '=', lane)
      .where('status', '=', sql.lit('pending' as const))
      .orderBy('id')
      .limit(sql.lit(1)),
  { isSingleRow: true },
)

/** Schedules the first pending delivery of a lane, unless it is already scheduled. */
export async function scheduleLane(query: AccountQuery, lane: string, now: number): Promise<void> {
  const head = await findLaneHead(query, lane)
  if (!head) return
  if (await hasJob(query, deliveryJobKind, String(head.id))) return
  const due = {
    account_id: head.account_id,
    kind: deliveryJobKind,
    subject: String(head.id),
    due_at: Math.max(now, head.next_attempt_at ?? now),
  }
  await insertJob(query, { ...due, attempts: 0, lease_owner: null, lease_until: 0 })
}

/** Returns which of the deliveries have a scheduled attempt. Other pending ones wait for an earlier one of their lane. */
export async function findScheduledDeliveries(
  query: PlatformQuery,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await query
    .selectFrom('due')
    .select('subject')
    .where('kind', '=', deliveryJobKind)
    .where('subject', 'in', ids.map(String))
    .execute()
  return new Set(rows.map(({ subject }) => Number(subject)))
}

/** Deletes some of the finished deliveries of an account that are old, with their attempts. */
export async function purgeDeliveries(query: AccountQuery, { before, after }: PurgeBatch): Promise<PurgedBatch> {
  const rows = await query
    .selectFrom('delivery')
    .select(['id as position', 'created_at', 'status'])
    .where('account_id', '=', query.account)
    .where('id', '>', after)
    .orderBy('id')
    .limit(purgeBatchSize)
    .execute()
  const old = rows.filter((it) => it.created_at < before && it.status !== 'pending').map((it) => it.position)
  const next = positionAfter(rows, before)
  if (old.length === 0) return { deleted: 0, next }
  // The status is checked again, because another transaction may have sent one of them again.
  const deleted = await query
    .deleteFrom('delivery')
    .where('account_id', '=', query.account)
    .where('id', 'in', old)
    .where('status', '!=', 'pending')
    .returning('id')
    .execute()
  const ids = deleted.map((it) => it.id)
  if (ids.length > 0) await query.deleteFrom('delivery_attempt').where('delivery_id', 'in', ids).execute()
  return { deleted: ids.length, next }
}

/** Returns the highest id of the deliveries of an account; 0 if there are none. */
export const maxDeliveryId = async (query: AccountQuery): Promise<number> =>
  (await query.selectFrom('delivery').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0

export type WebhookSecretRow = Selectable<WebhookSecretTable>

/** Returns the signing secret of an account. */
export const findWebhookSecret = (query: AccountQuery): Promise<WebhookSecretRow | undefined> =>
  query.selectFrom('webhook_secret').selectAll().where('account_id', '=', query.account).executeTakeFirst()

/** Stores the signing secret for the webhooks of an account. */
export async function saveWebhookSecret(query: AccountQuery, row: WebhookSecretRow): Promise<void> {
  const { account_id: _, ...change } = row
  await query
    .insertInto('webhook_secret')
    .values(row)
    .onConflict((it) => it.column('account_id').doUpdateSet(change))
    .execute()
}
