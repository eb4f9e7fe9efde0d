import type { AccountQuery } from '../database/connection.ts'
import { type PurgeBatch, type PurgedBatch, positionAfter, purgeBatchSize } from '../runtime/purge-batches.ts'
import { deleteUnusedDrafts } from './automation-versions.ts'
import { deleteValuesOfRuns } from './stored-values.ts'

/** Returns the key under which the services know an action of a run, so that it differs from the keys of API callers. It is stored, so it never changes. */
export const serviceKeyOf = (actionKey: string): string => `automation:${actionKey}`

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

/** Deletes those of the runs that ended before a time, with what belongs to them. Returns their number. */
async function deleteRuns(query: AccountQuery, numbers: readonly number[], before: number): Promise<number> {
  if (numbers.length === 0) return 0
  // The condition is part of the statement, because another transaction may have retried one of the runs.
  const deleted = await query
    .deleteFrom('automation_run')
    .where('account_id', '=', query.account)
    .where('number', 'in', numbers)
    .where('finished_at', '<', before)
    .returning(['id', 'number', 'version_id', 'testing'])
    .execute()
  if (deleted.length === 0) return 0
  const old = deleted.map((it) => it.number)
  await query.deleteFrom('automation_wait').where('run', 'in', old).execute()
  await query.deleteFrom('automation_step').where('run', 'in', old).execute()
  await deleteValuesOfRuns(query, deleted)
  await deleteActionResults(
    query,
    deleted.map((it) => it.id),
  )
  await deleteUnusedDrafts(query, [...new Set(deleted.filter((it) => it.testing === 1).map((it) => it.version_id))])
  return deleted.length
}

/**
 * Deletes the results of the actions of runs. Their keys begin with the id of a run and a colon, as run-keys.ts makes them, which a
 * semicolon follows; those that services stored have a word before the id.
 */
async function deleteActionResults(query: AccountQuery, runs: readonly string[]): Promise<void> {
  await query
    .deleteFrom('automation_act')
    .where('account_id', '=', query.account)
    .where((where) =>
      where.or(
        runs
          .flatMap((id) => [id, serviceKeyOf(id)])
          .map((start) => where.and([where('key', '>=', `${start}:`), where('key', '<', `${start};`)])),
      ),
    )
    .execute()
}

/** Maximum number of runs that one transaction deletes, and of steps of them, unless a single run has more. */
const maxPurged = { runs: 25, steps: 250 }

/** Deletes some of the runs of an account that are old, each with its steps. */
export async function purgeRuns(query: AccountQuery, { before, after }: PurgeBatch): Promise<PurgedBatch> {
  const rows = await query
    .selectFrom('automation_run')
    .select(['number as position', 'created_at', 'finished_at'])
    .where('account_id', '=', query.account)
    .where('number', '>', after)
    .orderBy('number')
    .limit(purgeBatchSize)
    .execute()
  const old = rows.filter((it) => it.finished_at !== null && it.finished_at < before).map((it) => it.position)
  const chosen = await chooseRuns(query, old)
  const next = chosen.length < old.length ? chosen.at(-1) : positionAfter(rows, before)
  return { deleted: await deleteRuns(query, chosen, before), next }
}

/** Returns the first of the runs that one transaction deletes. */
async function chooseRuns(query: AccountQuery, numbers: readonly number[]): Promise<number[]> {
  const first = numbers.slice(0, maxPurged.runs)
  if (first.length === 0) return first
  const counted = await query
    .selectFrom('automation_step')
    .select((it) => ['run', it.fn.countAll<number | string>().as('steps')])
    .where('account_id', '=', query.account)
    .where('run', 'in', first)
    .groupBy('run')
    .execute()
  const steps = new Map(counted.map((it) => [it.run, Number(it.steps)]))
  let total = 0
  return first.filter((number, n) => {
    total += steps.get(number) ?? 0
    return n === 0 || total <= maxPurged.steps
  })
}
