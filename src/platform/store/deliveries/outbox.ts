import type { Selectable } from 'kysely'
import type { Delivery } from '../../../contract/control/deliveries.ts'
import type { EventKind } from '../../../contract/control/events.ts'
import { stringifyJson } from '../../../node/json.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, PlatformQuery } from '../database/connection.ts'
import {
  type PurgeBatch,
  type PurgedBatch,
  positionAfter,
  purgeBatchSize,
  schedulePurge,
} from '../runtime/purge-batches.ts'
import type { OutboxTable } from './tables.ts'

export type OutboxRow = Selectable<OutboxTable>

/** An event to insert in the transaction of the change that it reports, so that neither exists without the other. */
export interface NewEvent {
  readonly account: number
  readonly kind: EventKind
  readonly subject: string
  /** Stored as JSON. */
  readonly payload: unknown
  readonly now: number
  /** Set if the event is delivered: the event name and the assistant or sender. */
  readonly notification?: { readonly event: Delivery['event']; readonly assistant?: number; readonly sender?: number }
}

/** Records an event in the transaction that caused it, and returns its id. */
export async function appendEvent(
  query: AccountQuery,
  { account, kind, subject, payload, now, notification }: NewEvent,
): Promise<number> {
  const { assistant = null, sender = null, event = null } = notification ?? {}
  const text = stringifyJson(payload)
  const handledAt = notification ? null : now
  const [row] = await insertEventQuery(query, account, kind, subject, text, now, handledAt, assistant, sender, event)
  const { id } = row as { id: number }
  await schedulePurge(query, id, now)
  return id
}

const insertEventQuery = compiledQuery(
  (
    query,
    account_id: number,
    kind: string,
    subject: string,
    payload: string,
    created_at: number,
    handled_at: number | null,
    assistant_id: number | null,
    sender_id: number | null,
    event: Delivery['event'] | null,
  ) =>
    query
      .insertInto('outbox')
      .values({ account_id, kind, subject, payload, created_at, handled_at, assistant_id, sender_id, event })
      .returning('id'),
)

/** Deletes some of the handled events of an account that are old and have no delivery any more. */
export async function purgeEvents(query: AccountQuery, { before, after }: PurgeBatch): Promise<PurgedBatch> {
  const rows = await query
    .selectFrom('outbox')
    .select(['id as position', 'created_at', 'handled_at'])
    .where('account_id', '=', query.account)
    .where('id', '>', after)
    .orderBy('id')
    .limit(purgeBatchSize)
    .execute()
  const old = rows.filter((it) => it.created_at < before && it.handled_at !== null).map((it) => it.position)
  const next = positionAfter(rows, before)
  if (old.length === 0) return { deleted: 0, next }
  const { numDeletedRows } = await query
    .deleteFrom('outbox')
    .where('account_id', '=', query.account)
    .where('id', 'in', old)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('delivery').select('delivery.id').whereRef('delivery.outbox_id', '=', 'outbox.id'))),
    )
    .executeTakeFirst()
  return { deleted: Number(numDeletedRows), next }
}

/** Returns an event by id. */
export const findEvent = (query: AccountQuery, id: number): Promise<OutboxRow | undefined> =>
  query.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst()

/** Replaces the payload of an event before it is delivered: with the values that a language model extracted (extraction.ts). */
export async function updateEventPayload(query: AccountQuery, id: number, payload: unknown): Promise<void> {
  await query
    .updateTable('outbox')
    .set({ payload: stringifyJson(payload) })
    .where('id', '=', id)
    .execute()
}

/** Marks an event as handled by every consumer. */
export async function markEventHandled(query: AccountQuery, id: number, now: number): Promise<void> {
  await query.updateTable('outbox').set({ handled_at: now }).where('id', '=', id).execute()
}

/** Returns events of an account, or of all, oldest first, after an id. Without an id, returns the latest ones. */
export async function listEvents(
  query: PlatformQuery,
  { account, kind, after, limit }: EventFilters,
): Promise<OutboxRow[]> {
  const rows = await query
    .selectFrom('outbox')
    .selectAll()
    .$if(account !== undefined, (it) => it.where('account_id', '=', account as number))
    .$if(kind !== undefined, (it) => it.where('kind', '=', kind as string))
    .$if(after !== undefined, (it) => it.where('id', '>', after as number))
    .orderBy('id', after === undefined ? 'desc' : 'asc')
    .limit(limit)
    .execute()
  return after === undefined ? rows.reverse() : rows
}

/** Conditions of a list of events; all that are given must hold. */
interface EventFilters {
  readonly account?: number | undefined
  readonly kind?: string | undefined
  readonly after?: number | undefined
  readonly limit: number
}
