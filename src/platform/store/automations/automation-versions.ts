import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import type { Tables } from '../database/tables.ts'
import type { AutomationVersionTable } from './tables.ts'

/** Builds the subquery for the test runs of a version. */
const testRunsOf = (builder: ExpressionBuilder<Tables, 'automation_version'>) =>
  builder
    .selectFrom('automation_run')
    .select('automation_run.number')
    .whereRef('automation_run.version_id', '=', 'automation_version.id')
    .where('automation_run.testing', '=', sql<number>`1`)

/** Deletes those of the versions that were never published, are not the current draft, and have no runs. */
export async function deleteUnusedDrafts(query: AccountQuery, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await query
    .deleteFrom('automation_version')
    .where('id', 'in', ids)
    .where('position', 'is', null)
    .where((it) => it.not(it.exists(testRunsOf(it))))
    .where((builder) =>
      builder.not(
        builder.exists(
          builder
            .selectFrom('automation')
            .select('automation.id')
            .whereRef('automation.draft_version', '=', 'automation_version.id'),
        ),
      ),
    )
    .execute()
}

export type VersionRow = Selectable<AutomationVersionTable>

/**
 * Generation of the engine. It increases when published definitions of earlier ones may mean something else. Each version stores it,
 * the list of versions answers it, and `parley doctor` warns of live versions of generation 1 (automation-checks.ts).
 */
const engineGeneration = 2

/** Inserts a version, for the current generation of the engine unless another one is given. */
export const insertVersion = (query: AccountQuery, version: Insertable<AutomationVersionTable>): Promise<VersionRow> =>
  query
    .insertInto('automation_version')
    .values({ engine: engineGeneration, ...version })
    .returningAll()
    .executeTakeFirstOrThrow()

const versionByIdQuery = compiledQuery((query, id: string) =>
  query.selectFrom('automation_version').selectAll().where('id', '=', id),
)

/** Returns a version by id. */
export const findVersion = async (query: AccountQuery, id: string): Promise<VersionRow | undefined> =>
  (await versionByIdQuery(query, id))[0]

/** Returns the version published before a position. */
export const findPreviousVersion = (
  query: AccountQuery,
  automation: string,
  position: number,
): Promise<VersionRow | undefined> =>
  query
    .selectFrom('automation_version')
    .selectAll()
    .where('automation_id', '=', automation)
    .where('position', '<', position)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns a published version by its number. */
export const findVersionByNumber = (
  query: AccountQuery,
  automation: string,
  position: number,
): Promise<VersionRow | undefined> =>
  query
    .selectFrom('automation_version')
    .selectAll()
    .where('automation_id', '=', automation)
    .where('position', '=', position)
    .executeTakeFirst()

/** Returns the published versions, newest first. */
export const listVersions = (query: AccountQuery, automation: string, limit: number): Promise<VersionRow[]> =>
  query
    .selectFrom('automation_version')
    .selectAll()
    .where('automation_id', '=', automation)
    .where('position', 'is not', null)
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()

/** Returns the positions of versions by id. Deleted versions are omitted. */
export async function findVersionPositions(
  query: AccountQuery,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await query.selectFrom('automation_version').select(['id', 'position']).where('id', 'in', ids).execute()
  return new Map(rows.flatMap(({ id, position }) => (position === null ? [] : [[id, position] as const])))
}

/** Returns the position of the next published version. */
export async function nextVersionPosition(query: AccountQuery, automation: string): Promise<number> {
  const last = await query
    .selectFrom('automation_version')
    .select('position')
    .where('automation_id', '=', automation)
    .where('position', 'is not', null)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (last?.position ?? 0) + 1
}

/** Updates a version. */
export async function updateVersion(
  query: AccountQuery,
  id: string,
  change: Updateable<AutomationVersionTable>,
): Promise<void> {
  await query.updateTable('automation_version').set(change).where('id', '=', id).execute()
}

/** Deletes the drafts of an automation except one, and except those with test runs, which are still listed. */
export async function deleteDrafts(query: AccountQuery, automation: string, except: string): Promise<void> {
  await query
    .deleteFrom('automation_version')
    .where('automation_id', '=', automation)
    .where('position', 'is', null)
    .where('id', '<>', except)
    .where((it) => it.not(it.exists(testRunsOf(it))))
    .execute()
}
