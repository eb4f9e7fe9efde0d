// Messages, SMS and calls that wait for the contact hours. Their states and what each means are in tables.ts.

import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import {
  type PurgeBatch,
  type PurgedBatch,
  positionAfter,
  purgeBatchSize,
  schedulePurge,
} from '../runtime/purge-batches.ts'
import { sends } from './blocked-contacts.ts'
import type { ContactTables } from './tables.ts'

export type WaitingContactRow = Selectable<ContactTables['waiting_contact']>

/** Returns the highest id of an account; 0 if there is none. */
async function lastId(query: AccountQuery): Promise<number> {
  const { last } = await query
    .selectFrom('waiting_contact')
    .select((it) => it.fn.max<number | null>('id').as('last'))
    .where('account_id', '=', query.account)
    .executeTakeFirstOrThrow()
  return Number(last ?? 0)
}

/** Stores something that waits, in a transaction that holds the account, which numbers it. */
export async function insertWaitingContact(
  query: AccountQuery,
  row: Omit<Insertable<ContactTables['waiting_contact']>, 'id' | 'account_id'>,
): Promise<WaitingContactRow> {
  const id = (await lastId(query)) + 1
  await schedulePurge(query, id, row.created_at)
  return query
    .insertInto('waiting_contact')
    .values({ ...row, account_id: query.account, id })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns something that waits or waited. */
export const findWaitingContact = (query: AccountQuery, id: number): Promise<WaitingContactRow | undefined> =>
  query
    .selectFrom('waiting_contact')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()

/** Changes something that still waits. Returns false if it does not. */
export async function updateWaitingContact(
  query: AccountQuery,
  id: number,
  change: Updateable<ContactTables['waiting_contact']>,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('waiting_contact')
    .set(change)
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns the ids of what waits and the runs that do. */
export const listAllWaiting = (query: AccountQuery): Promise<Pick<WaitingContactRow, 'id' | 'run_id'>[]> =>
  query
    .selectFrom('waiting_contact')
    .select(['id', 'run_id'])
    .where('account_id', '=', query.account)
    .where('state', 'in', ['waiting', 'parked'])
    .execute()

/** Returns the ids of sends on a channel that keep the hours, and that a crash has interrupted before their outcome. */
export async function listInterrupted(query: AccountQuery, channel: WaitingContactRow['channel']): Promise<number[]> {
  const { table, state } = sends[channel]
  const rows = await query
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', query.account)
    .where('state', '=', state)
    .where('keeps_hours', '=', 1)
    .execute()
  return rows.map((it) => it.id)
}

/** Deletes the marks of runs that wait: those of all, or of one run. */
export async function deleteParkedRuns(query: AccountQuery, run?: string): Promise<void> {
  await query
    .deleteFrom('waiting_contact')
    .where('account_id', '=', query.account)
    .where('state', '=', 'parked')
    .$if(run !== undefined, (it) => it.where('run_id', '=', run as string))
    .execute()
}

/** Returns how many messages, SMS and calls of an account wait. */
export async function countWaiting(query: AccountQuery): Promise<number> {
  const { n } = await filtered(query, { state: 'waiting' })
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Deletes some of what does not wait any more and is old. The row with the highest id stays, because the next one follows it. */
export async function purgeWaitingContacts(query: AccountQuery, { before, after }: PurgeBatch): Promise<PurgedBatch> {
  const rows = await query
    .selectFrom('waiting_contact')
    .select(['id as position', 'created_at', 'updated_at', 'state'])
    .where('account_id', '=', query.account)
    .where('id', '>', after)
    .orderBy('id')
    .limit(purgeBatchSize)
    .execute()
  const next = positionAfter(rows, before)
  const last = await lastId(query)
  const old = rows.filter((it) => it.state !== 'waiting' && it.updated_at < before && it.position < last)
  if (old.length > 0)
    await query
      .deleteFrom('waiting_contact')
      .where('account_id', '=', query.account)
      .where(
        'id',
        'in',
        old.map((it) => it.position),
      )
      .execute()
  return { deleted: old.length, next }
}

/** Filters of the list. */
export interface WaitingContactFilters {
  readonly id?: number | undefined
  readonly state?: Exclude<WaitingContactRow['state'], 'parked'> | undefined
  readonly channel?: WaitingContactRow['channel'] | undefined
}

const filtered = (query: AccountQuery, { id, state, channel }: WaitingContactFilters) =>
  query
    .selectFrom('waiting_contact')
    .where('account_id', '=', query.account)
    .where('state', state === undefined ? '!=' : '=', state ?? 'parked')
    .$if(id !== undefined, (it) => it.where('id', '=', id as number))
    .$if(channel !== undefined, (it) => it.where('channel', '=', channel as WaitingContactRow['channel']))

/** Returns one page of what waits or waited, newest first, and the total. */
export async function listWaitingContacts(
  query: AccountQuery,
  filters: WaitingContactFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: WaitingContactRow[]; readonly total: number }> {
  const items = await filtered(query, filters)
    .selectAll()
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  const { n } = await filtered(query, filters)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(n) }
}
