import { accountQuery } from '../database/account-query.ts'
import type { AccountQuery, PlatformQuery } from '../database/connection.ts'
import { retentionMicros } from '../deliveries/outbox.ts'
import { deleteUnusedDrafts } from './automation-versions.ts'
import type { RunRow } from './runs.ts'
import { deleteValuesOfRuns } from './stored-values.ts'

/** Returns the result stored under an idempotency key as JSON; undefined if there is none. */
export async function findActionResult(query: AccountQuery, key: string): Promise<string | undefined> {
  const row = await query
    .selectFrom('automation_act')
    .select('result')
    .where('account_id', '=', query.account)
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.result
}

/** Stores the result of an action under its idempotency key. */
export async function insertActionResult(
  query: AccountQuery,
  action: { key: string; result: string; now: number },
): Promise<void> {
  await query
    .insertInto('automation_act')
    .values({ account_id: query.account, key: action.key, result: action.result, created_at: action.now })
    .execute()
}

/** Deletes results that were stored before a time. */
async function purgeActionResults(query: AccountQuery, before: number): Promise<void> {
  await query.deleteFrom('automation_act').where('created_at', '<', before).execute()
}

/** Deletes those of the runs that ended before a time. Returns their number. */
async function deleteRuns(query: AccountQuery, numbers: readonly number[], before: number): Promise<number> {
  if (numbers.length === 0) return 0
  // The condition is part of the statement, because another transaction may have retried one of the runs.
  const deleted = await query
    .deleteFrom('automation_run')
    .where('number', 'in', numbers)
    .where('finished_at', '<', before)
    .returning(['id', 'number', 'version_id', 'testing'])
    .execute()
  if (deleted.length === 0) return 0
  const old = deleted.map((it) => it.number)
  await query.deleteFrom('automation_wait').where('run', 'in', old).execute()
  await query.deleteFrom('automation_step').where('run', 'in', old).execute()
  await deleteValuesOfRuns(query, deleted)
  await deleteUnusedDrafts(query, [...new Set(deleted.filter((it) => it.testing === 1).map((it) => it.version_id))])
  return deleted.length
}

/** Every run whose number is a multiple of this triggers a purge of old runs. */
const purgeInterval = 64

/** Maximum number of runs per purge. */
const purgeBatchSize = 500

/** Deletes old runs occasionally, in the transaction that inserts a run. */
export async function purgeOldRuns(
  query: AccountQuery,
  { number, created_at }: Pick<RunRow, 'number' | 'created_at'>,
): Promise<void> {
  if (number % purgeInterval !== 0) return
  const oldest = query
    .selectFrom('automation_run')
    .select(['number', 'finished_at'])
    .where('finished_at', 'is not', null)
    .orderBy('number')
    .limit(purgeBatchSize)
  const before = created_at - retentionMicros
  await purgeActionResults(query, before)
  const rows = await oldest.execute()
  await deleteRuns(
    query,
    rows.filter((it) => (it.finished_at ?? created_at) < before).map((it) => it.number),
    before,
  )
}

/** Deletes runs that ended before a time, at most 500 at once. Returns their number. */
export async function purgeRuns(query: PlatformQuery, before: number): Promise<number> {
  const rows = await query
    .selectFrom('automation_run')
    .select(['account_id', 'number'])
    .where('finished_at', '<', before)
    .limit(purgeBatchSize)
    .execute()
  const numbers = new Map<number, number[]>()
  for (const { account_id, number } of rows) numbers.set(account_id, [...(numbers.get(account_id) ?? []), number])
  let deleted = 0
  for (const [account, own] of numbers) deleted += await deleteRuns(accountQuery(query, account), own, before)
  return deleted
}
