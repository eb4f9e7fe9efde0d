import type { Selectable } from 'kysely'
import type { Delivery } from '../../../contract/control/deliveries.ts'
import type { EventKind } from '../../../contract/control/events.ts'
import { stringifyJson } from '../../../node/json.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, PlatformQuery, Query } from '../database/connection.ts'
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

/** How long events are stored, in microseconds. */
export const retentionMicros = 30 * 24 * 3600 * 1_000_000
/** Every event whose id is a multiple of this triggers a purge of old events. */
const purgeInterval = 64

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
  if (id % purgeInterval === 0) await purgeEvents(query, now - retentionMicros)
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

/** Deletes handled events that occurred before a time, at most 1000 at once. Returns their number. */
export async function purgeEvents(query: Query, before: number): Promise<number> {
  const old = query
    .selectFrom('outbox')
    .select('id')
    .where('created_at', '<', before)
    .where('handled_at', 'is not', null)
    .limit(1000)
  const { numDeletedRows } = await query.deleteFrom('outbox').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns an event by id. */
export const findEvent = (query: AccountQuery, id: number): Promise<OutboxRow | undefined> =>
  query.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst()

/** Replaces the payload of an event before it is delivered. */
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
