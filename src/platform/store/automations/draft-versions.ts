import { type ExpressionBuilder, sql } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { Tables } from '../database/tables.ts'

/** Builds the subquery for the test runs of a version. */
export const testRunsOf = (it: ExpressionBuilder<Tables, 'automation_version'>) =>
  it
    .selectFrom('automation_run')
    .select('automation_run.number')
    .whereRef('automation_run.version_id', '=', 'automation_version.id')
    .where('automation_run.testing', '=', sql<number>`1`)

/** Deletes those of the versions that were never published, are not the current draft, and have no runs. */
export async function deleteUnusedDrafts(query: Query, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await query
    .deleteFrom('automation_version')
    .where('id', 'in', ids)
    .where('position', 'is', null)
    .where((it) => it.not(it.exists(testRunsOf(it))))
    .where((it) =>
      it.not(
        it.exists(
          it
            .selectFrom('automation')
            .select('automation.id')
            .whereRef('automation.draft_version', '=', 'automation_version.id'),
        ),
      ),
    )
    .execute()
}
