import type { Query } from '../database/connection.ts'
import { retentionMicros } from '../deliveries/outbox.ts'
import { deleteUnusedDrafts } from './draft-versions.ts'
import type { RunRow } from './runs.ts'

async function deleteRuns(query: Query, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return
  const tests = await query
    .selectFrom('automation_run')
    .select('version_id')
    .distinct()
    .where('number', 'in', numbers)
    .where('testing', '=', 1)
    .execute()
  await query.deleteFrom('automation_wait').where('run', 'in', numbers).execute()
  await query.deleteFrom('automation_step').where('run', 'in', numbers).execute()
  await query.deleteFrom('automation_run').where('number', 'in', numbers).execute()
  await deleteUnusedDrafts(
    query,
    tests.map((it) => it.version_id),
  )
}

/** Every run whose number is a multiple of this triggers a purge of old runs. */
const purgeInterval = 64

/** Maximum number of runs per purge. */
const purgeBatchSize = 500

/** Deletes old runs occasionally, in the transaction that inserts a run. */
export async function purgeOldRuns(
  query: Query,
  { number, created_at }: Pick<RunRow, 'number' | 'created_at'>,
): Promise<void> {
  if (number % purgeInterval !== 0) return
  const oldest = query
    .selectFrom('automation_run')
    .select(['number', 'finished_at'])
    .where('finished_at', 'is not', null)
    .orderBy('number')
    .limit(purgeBatchSize)
  const rows = await oldest.execute()
  await deleteRuns(
    query,
    rows.filter((it) => (it.finished_at ?? created_at) < created_at - retentionMicros).map((it) => it.number),
  )
}

/** Deletes runs that ended before a time, at most 500 at once. Returns their number. */
export async function purgeRuns(query: Query, before: number): Promise<number> {
  const rows = await query
    .selectFrom('automation_run')
    .select('number')
    .where('finished_at', '<', before)
    .limit(purgeBatchSize)
    .execute()
  await deleteRuns(
    query,
    rows.map((it) => it.number),
  )
  return rows.length
}
