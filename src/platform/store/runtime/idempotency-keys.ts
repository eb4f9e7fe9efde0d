import type { Selectable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { Tables } from '../database/tables.ts'
import { type PurgeBatch, type PurgedBatch, positionAfter, purgeBatchSize, schedulePurge } from './purge-batches.ts'
import type { IdempotencyTable } from './tables.ts'

export type IdempotencyRow = Selectable<IdempotencyTable>

/**
 * Real time in milliseconds for which a platform answers queries of an outcome by its key. Advancing the clock of a local
 * platform does not shorten it, because a client would take a key that is unknown for a request that never arrived. Clients rely on a
 * day less (`knownKeyMs` of cli/program/operations/resolved-outcome.ts).
 */
const retentionMs = 30 * 24 * 3_600_000

/** Claims a key for a request, also if its claim has expired. Returns the row that holds it, otherwise undefined. */
export async function claimIdempotencyKey(
  query: AccountQuery,
  claim: {
    key: string
    request: string
    now: number
    expired: number
    owner: string
    leasedUntil: number
  },
): Promise<IdempotencyRow | undefined> {
  await query
    .deleteFrom('idempotency')
    .where('account_id', '=', query.account)
    .where('key', '=', claim.key)
    .where('created_at', '<', claim.expired)
    .execute()
  // Claims have no numbers. Their times are milliseconds.
  await schedulePurge(query, Math.floor(claim.now / 1000), claim.now)
  const claimed = await query
    .insertInto('idempotency')
    .values({
      account_id: query.account,
      key: claim.key,
      request: claim.request,
      status: null,
      body: null,
      created_at: claim.now,
      owner: claim.owner,
      leased_until: claim.leasedUntil,
    })
    .onConflict((it) => it.doNothing())
    .returning('key')
    .executeTakeFirst()
  return claimed ? undefined : findIdempotencyKey(query, claim.key)
}

/**
 * Deletes some of the claims of an account that are old. Positions are times of claims. `wall` is the real time in
 * milliseconds.
 */
export async function purgeIdempotencyKeys(
  query: AccountQuery,
  { before, after }: PurgeBatch,
  wall: number,
): Promise<PurgedBatch> {
  const rows = await query
    .selectFrom('idempotency')
    .select(['key', 'created_at as position', 'created_at', 'leased_until'])
    .where('account_id', '=', query.account)
    .where('created_at', '>=', after)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(purgeBatchSize)
    .execute()
  const old = rows.filter((it) => it.leased_until < wall - retentionMs).map((it) => it.key)
  const next = old.length === 0 ? undefined : positionAfter(rows, before)
  if (old.length > 0)
    await query.deleteFrom('idempotency').where('account_id', '=', query.account).where('key', 'in', old).execute()
  return { deleted: old.length, next }
}

/** Returns the claim of an idempotency key. */
export const findIdempotencyKey = (query: AccountQuery, key: string): Promise<IdempotencyRow | undefined> =>
  query
    .selectFrom('idempotency')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('key', '=', key)
    .executeTakeFirst()

/** Releases a key that has no response. */
export async function releaseIdempotencyKey(query: AccountQuery, key: string): Promise<void> {
  await query
    .deleteFrom('idempotency')
    .where('account_id', '=', query.account)
    .where('key', '=', key)
    .where('status', 'is', null)
    .execute()
}

/** Stores the result of the work of a request, from which its response can be built. */
export async function saveIdempotentResult(query: AccountQuery, key: string, result: string): Promise<void> {
  await query
    .updateTable('idempotency')
    .set({ body: result })
    .where('account_id', '=', query.account)
    .where('key', '=', key)
    .execute()
}

/** Stores the response to the request that holds a key. */
export async function storeIdempotentResponse(
  query: AccountQuery,
  key: string,
  answer: { status: number; body: string },
): Promise<void> {
  await query
    .updateTable('idempotency')
    .set(answer)
    .where('account_id', '=', query.account)
    .where('key', '=', key)
    .execute()
}

/**
 * Tables whose rows have the idempotency key of the request that created them. A repeated request whose table is missing
 * here may be carried out twice after a crash.
 */
export const keyedTables = [
  'purchase',
  'channel_message',
  'message',
  'phone_call',
  'sms_message',
  'waiting_contact',
] as const
type KeyedTable = (typeof keyedTables)[number]

/** Returns what a request under an idempotency key created at or after `since`. Older keys have expired. */
export const findByRequestKey = <T extends KeyedTable>(
  query: AccountQuery,
  table: T,
  key: string,
  since: number,
): Promise<Selectable<Tables[T]> | undefined> =>
  query
    .selectFrom(table as KeyedTable)
    .selectAll()
    .where('account_id', '=', query.account)
    .where('idempotency_key', '=', key)
    .where('created_at', '>=', since)
    .executeTakeFirst() as Promise<Selectable<Tables[T]> | undefined>

/** Releases an idempotency key that was used before a time. */
export async function releaseRequestKey(
  query: AccountQuery,
  table: KeyedTable,
  key: string,
  before: number,
): Promise<void> {
  await query
    .updateTable(table)
    .set({ idempotency_key: null })
    .where('account_id', '=', query.account)
    .where('idempotency_key', '=', key)
    .where('created_at', '<', before)
    .execute()
}
